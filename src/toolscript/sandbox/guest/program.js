// What only some programs need: input, imports, a scope object, code from text refused.
(function program(p, kit) {
  const { defineProperty, hasOwn, stringify } = p;
  const values = kit.need("values");
  let frozenInput;
  let scopeObject = null;

  const input = () => (frozenInput ??= values.deepFreeze(values.parseAny(kit.texts.input)));

  // What a function that is the whole script is called with.
  const scope = () => {
    if (scopeObject !== null) return scopeObject;
    const spaces = kit.need("namespaces");
    scopeObject = { tools: spaces.made.tools, codemode: spaces.codemode() };
    if (kit.surface.on.bindings) scopeObject.bindings = spaces.bindings();
    if (kit.surface.on.console) scopeObject.console = kit.need("output").makeConsole();
    if (kit.texts.input !== "") scopeObject.input = input();
    return p.freeze(scopeObject);
  };

  // The modules of the program, each evaluated once.
  const modules = p.parse(kit.texts.modules);
  const loaded = { __proto__: null };
  const load = (name) => {
    if (!hasOwn(modules, name)) {
      const known = p.join(p.keys(modules), ", ");
      const there = known === "" ? "no modules can be imported here" : "there are: " + known;
      throw new p.TypeError("cannot import " + stringify("" + name) + "; " + there);
    }
    if (loaded[name] === undefined) {
      const body = p.eval("(async function ($module) {" + modules[name] + "\n})");
      loaded[name] = body(kit.bodyModule());
    }
    return loaded[name];
  };

  const forbidCode = (define) => {
    const refuse = (prototype) => {
      function Function() {
        throw new p.TypeError("code cannot be made from text here");
      }
      defineProperty(Function, "prototype", { __proto__: null, value: prototype });
      defineProperty(prototype, "constructor", { __proto__: null, value: Function });
      return Function;
    };
    define("Function", refuse(p.getPrototypeOf(() => 0)));
    refuse(p.getPrototypeOf(async () => 0));
    refuse(p.getPrototypeOf(function* () {}));
    refuse(p.getPrototypeOf(async function* () {}));
    define("eval", () => {
      throw new p.TypeError("eval is switched off here");
    });
  };

  return { __proto__: null, input, scope, load, forbidCode };
});
