// The objects of callables: `tools`, the namespaces, `codemode` and `bindings`. Their members are
// own properties of objects without a prototype, so that any name is an ordinary name; to read a
// member that does not exist explains itself.
(function namespaces(p, kit) {
  const { create, defineProperty, freeze, hasOwn, keys } = p;
  const { surface } = kit;
  const calls = kit.need("calls");
  const errors = kit.need("errors");

  const put = (target, key, value, enumerable) => {
    if (hasOwn(target, key)) return;
    defineProperty(target, key, { __proto__: null, value, enumerable });
  };

  const errorKind = (group, name) => ({
    __proto__: null,
    class: group.kind,
    property: group.error_class === null ? "" : group.error_class[1],
    name,
  });

  const callable = (group, member, twin) => {
    const kind = errorKind(group, member.name);
    const where = group.name + "." + member.identifier + "()";
    const { identifier, name } = member;
    if (identifier === "then" || name === "then") {
      // `await tools` probes `then` and calls it with two functions, which no tool takes.
      return (...args) => {
        if (typeof args[0] === "function") return args[0](twin());
        return calls.callTool(kind, member, args, where);
      };
    }
    if (identifier === "toJSON" || name === "toJSON") {
      // JSON.stringify calls `toJSON` with a key; the tool itself takes an object.
      return (...args) =>
        typeof args[0] === "string" ? undefined : calls.callTool(kind, member, args, where);
    }
    return (...args) => calls.callTool(kind, member, args, where);
  };

  // Members that everything has: a script, a printer or a promise probes them.
  const probed = (name) => name === "then" || name === "toJSON" || name in p.Object.prototype;

  // A frozen namespace over `target`; its twin lacks `then`, so that a promise can hold it.
  const seal = (group, target) => {
    defineProperty(target, p.Symbol.toPrimitive, {
      __proto__: null,
      value: () => "[object " + group.name + "]",
    });
    defineProperty(target, p.Symbol.toStringTag, { __proto__: null, value: group.name });
    freeze(target);
    const guard = (members) =>
      new p.Proxy(members, {
        __proto__: null,
        get(_, name) {
          if (hasOwn(members, name)) return members[name];
          if (typeof name === "symbol" || probed(name)) return undefined;
          throw kit.need("unknown")(group, errorKind(group, name), keys(members), name);
        },
      });
    let twin = null;
    const makeTwin = () => {
      if (twin !== null) return twin;
      const members = create(null);
      const names = p.ownKeys(target);
      for (let i = 0; i < names.length; i++) {
        const own = p.getOwnPropertyDescriptor(target, names[i]);
        if (names[i] !== "then") defineProperty(members, names[i], own);
      }
      twin = guard(freeze(members));
      return twin;
    };
    return { __proto__: null, object: guard(target), makeTwin };
  };

  const addMembers = (group, target, twin, hidden) => {
    const { members } = group;
    for (let i = 0; i < members.length; i++) {
      const member = members[i];
      const call = callable(group, member, twin);
      freeze(call);
      put(target, member.identifier, call, !hidden);
      put(target, member.name, call, false);
    }
  };

  const on = (name) => hasOwn(surface.on, name);
  const made = create(null);
  const byName = create(null);
  const root = surface.groups[0];

  const general = { __proto__: null, name: "tools", kind: errors.ToolError, error_class: null };

  // `call(name, args)`: by exact name, identifier, or `namespace.member`.
  const callByName = (name, ...args) => {
    if (typeof name !== "string") {
      return new p.Promise((_, reject) => {
        reject(new p.TypeError("call(name, args): name must be a string, not " + typeof name));
      });
    }
    const found = byName[name];
    return found === undefined ? calls.callNamed(name, args) : p.apply(found, undefined, args);
  };

  let listed = null;
  const list = () => {
    const values = kit.need("values");
    return (listed ??= values.deepFreeze(p.parse(kit.texts.catalog)));
  };
  const discover =
    (name, shape) =>
    (...args) =>
      calls.callHelper(name, shape(args));
  const search = discover("codemode.search", (args) => ({
    query: args[0],
    limit: errors.isObject(args[1]) ? args[1].limit : args[1],
  }));
  const describe = discover("codemode.describe", (args) => ({ name: args[0] }));

  const discovery = on("discovery") || on("list");

  const build = () => {
    for (let i = 0; i < surface.groups.length; i++) {
      const group = surface.groups[i];
      p.setPrototypeOf(group, null);
      group.kind = errors.kindOf(group.error_class);
      const target = create(null);
      let sealed = null;
      const twin = () => sealed.makeTwin();
      addMembers(group, target, twin, false);
      for (let j = 0; j < group.members.length; j++) {
        const member = group.members[j];
        const call = target[member.name];
        if (i > 0) byName[group.name + "." + member.identifier] ??= call;
        if (i > 0) byName[group.name + "." + member.name] ??= call;
        byName[member.identifier] ??= call;
        byName[member.name] ??= call;
      }
      if (i === 0) {
        made.tools = { __proto__: null, group, target, seal: () => (sealed = seal(group, target)) };
      } else {
        sealed = seal(group, target);
        made[group.name] = sealed.object;
      }
    }
    const tools = made.tools;
    const names = keys(made);
    for (let i = 0; i < names.length; i++) {
      if (names[i] !== "tools") put(tools.target, names[i], made[names[i]], true);
    }
    if (discovery) {
      put(tools.target, "call", callByName, false);
      put(tools.target, "list", list, false);
    }
    made.tools = tools.seal().object;
  };

  // Another name for all tools; with `members`, behind a `$` where a tool has that name.
  const alias = (name, members) => {
    const group = { __proto__: null, ...root, name };
    const target = create(null);
    let sealed = null;
    addMembers(group, target, () => sealed.makeTwin(), false);
    const spaces = keys(made);
    for (let i = 0; i < spaces.length; i++) {
      if (spaces[i] !== "tools") put(target, spaces[i], made[spaces[i]], true);
    }
    const extra = keys(members);
    for (let i = 0; i < extra.length; i++) {
      let name = extra[i];
      while (hasOwn(target, name)) name = "$" + name;
      put(target, name, members[extra[i]], false);
    }
    sealed = seal(group, target);
    return sealed.object;
  };

  build();
  const codemode = () =>
    alias(
      "codemode",
      on("discovery") ? { __proto__: null, search, describe, list, call: callByName } : create(null),
    );
  const bindings = () => alias("bindings", create(null));

  // A global function that the host answers, or an object of such.
  const helper = (wanted) => {
    const space = create(null);
    for (let i = 0; i < surface.helpers.length; i++) {
      const { name, spread } = surface.helpers[i];
      const call = freeze((...args) => calls.callHelper(name, spread ? args : args[0]));
      if (name === wanted) return call;
      const dot = p.indexOf(name, ".");
      if (p.slice(name, 0, dot) === wanted) put(space, p.slice(name, dot + 1), call, true);
    }
    return seal({ __proto__: null, ...general, name: wanted }, space).object;
  };

  // A global function that calls the tool of that index.
  const shortcut = (index) => {
    for (let g = 0; g < surface.groups.length; g++) {
      const group = surface.groups[g];
      for (let m = 0; m < group.members.length; m++) {
        const member = group.members[m];
        if (member.index === index) return freeze(callable(group, member, () => undefined));
      }
    }
    return undefined;
  };

  return { __proto__: null, made, codemode, bindings, helper, shortcut, list };
});
