// Calls of tools and helpers: arguments are taken as JSON when the call is made, and a failing
// argument rejects that call alone.
(function calls(p, kit) {
  const { Promise, stringify } = p;
  const { options } = kit;
  const bridge = kit.need("bridge");
  const values = kit.need("values");
  const errors = kit.need("errors");
  const general = { __proto__: null, class: errors.ToolError, property: "" };

  const write = (value, where) => {
    try {
      return values.write(value);
    } catch (error) {
      if (!p.hasInstance(values.Refusal, error)) throw error;
      throw new p.TypeError(where + ": " + error.path + ": " + error.message);
    }
  };

  // What is sent for the arguments of a call. A bare string fills the one property that asks for it.
  const argumentText = (property, args, where) => {
    let value = args[0];
    const none = args.length === 0 || (value === undefined && options.json !== "lossless");
    if (none) value = options.bare_calls === false ? null : {};
    if (args.length > 1 && !errors.isObject(value) && !errors.isObject(args[1])) {
      const name = typeof property === "string" ? property : "name";
      throw new p.TypeError(
        where + " takes one object, not values in a row: { " + name + ": …, … }",
      );
    }
    if (typeof value === "string" && typeof property === "string") {
      const rest = args[1];
      value = { [property]: value };
      const names = errors.isObject(rest) ? p.keys(rest) : [];
      for (let i = 0; i < names.length; i++) errors.show(value, names[i], rest[names[i]]);
    }
    return write(value, where) ?? "null";
  };

  const fail = (kind, error) => {
    const message = "" + (errors.isObject(error) ? error.message : error);
    return errors.toolError(kind, {
      __proto__: null,
      tool: kind.name,
      code: "invalid_args",
      message,
    });
  };

  // `kind` says which error a failure becomes, `head` makes the first lines of the frame.
  const call = (kind, head, makeText) => {
    if (bridge.ended) return bridge.never;
    const stack = options.track_lines ? errors.here() : "";
    const line = stack === "" ? 0 : errors.lineIn(stack);
    return new Promise((resolve, reject) => {
      let text;
      try {
        text = makeText();
      } catch (error) {
        reject(fail(kind, error));
        return;
      }
      const reply = { __proto__: null, resolve, reject, kind, stack };
      bridge.submit((id) => head(id, line), text, reply);
    });
  };

  const callTool = (kind, member, args, where) =>
    call(
      kind,
      (id, line) => "c " + id + " " + member.index + " " + line + "\n",
      () => argumentText(member.string_argument, args, where),
    );

  const callNamed = (name, args) =>
    call(
      { __proto__: null, class: errors.ToolError, property: "", name },
      (id, line) => "n " + id + " " + line + "\n" + stringify(name) + "\n",
      () => argumentText(null, args, stringify(name)),
    );

  const callHelper = (name, value) =>
    call(
      { __proto__: null, class: errors.ToolError, property: "", name },
      (id, line) => "h " + id + " " + line + "\n" + stringify(name) + "\n",
      () => write(value === undefined ? null : value, name + "()") ?? "null",
    );

  const resolve = (id, text, bigints, face) =>
    bridge.settle(id, (waiting) => {
      let value;
      try {
        value = values.parse(text, bigints);
      } catch (error) {
        waiting.reject(error);
        return;
      }
      if (face !== null && errors.isObject(value)) {
        kit.faces ??= new p.WeakMap();
        p.weakSet(kit.faces, value, face);
      }
      waiting.resolve(value);
    });

  const reject = (id, text) =>
    bridge.settle(id, (waiting) => {
      const error = p.setPrototypeOf(values.parse(text, true), null);
      waiting.reject(errors.toolError(waiting.kind, error, waiting.stack));
    });

  return { __proto__: null, callTool, callNamed, callHelper, resolve, reject, write, general };
});
