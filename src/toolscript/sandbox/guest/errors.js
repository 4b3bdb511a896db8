// Errors: what a failed call throws, and what the host is told of an error that nobody caught.
(function errors(p, { layout }) {
  const { defineProperty, getOwnPropertyDescriptor, getPrototypeOf, stringify, slice } = p;
  const NAME_CHARS = 256;
  const MESSAGE_CHARS = 65536;
  const STACK_CHARS = 131072;
  const CLASSES = 16;

  // The frames of the script in a stack of the engine. The guest library is on `layout.line`;
  // `layout.columns` is what stands before the script on its first line. The first place is where
  // the error was made: not inside of its own classes, `makers`.
  const scriptFrames = (stack, makers) => {
    const frames = { __proto__: null, first: null, text: "" };
    if (typeof stack !== "string") return frames;
    const lines = p.split(slice(stack, 0, STACK_CHARS), "\n");
    for (let i = 0; i < lines.length; i++) {
      const found = p.match(/^\s*at (?:(.*) \()?<input>:(\d+):(\d+)\)?$/, lines[i]);
      if (found === null) continue;
      const line = +found[2];
      if (line === layout.line) continue;
      const column = line === 1 ? +found[3] - layout.columns : +found[3];
      if (column < 1) continue;
      if (frames.first === null && makers?.[found[1]] !== true) {
        frames.first = { __proto__: null, line, column };
      }
      frames.text += "    at " + (found[1] ?? "<anonymous>") + " (script:" + line + ":" + column + ")\n";
    }
    return frames;
  };

  // The script's line in a stack of the engine, 0 where there is none.
  const library = layout.line + ":";
  const lineIn = (stack) => {
    if (typeof stack !== "string") return 0;
    let at = 0;
    do {
      at = p.indexOf(stack, "<input>:", at) + 8;
      if (at === 7) return 0;
    } while (slice(stack, at, at + library.length) === library);
    const line = p.parseInt(slice(stack, at, at + 10));
    return line > 0 ? line : 0;
  };

  // A script may have a say in how the engine writes a stack.
  const here = () => read(new p.Error(), "stack");

  class ToolError extends p.Error {
    constructor(message, { tool, code, details } = {}) {
      super(message);
      this.tool = tool;
      this.code = code;
      this.details = details;
    }
  }
  const hide = (target, key, value) =>
    defineProperty(target, key, {
      __proto__: null,
      value,
      writable: true,
      enumerable: false,
      configurable: true,
    });
  hide(ToolError.prototype, "name", "ToolError");

  // The error class of a namespace, by its name; the general one where it has none.
  const classes = { __proto__: null };
  const kindOf = (named) => {
    if (named === null) return ToolError;
    const name = named[0];
    if (classes[name] !== undefined) return classes[name];
    const made = class extends ToolError {
      constructor(message, fields) {
        super(message, fields);
      }
    };
    hide(made, "name", name);
    hide(made.prototype, "name", name);
    return (classes[name] = made);
  };

  const show = (target, key, value) =>
    defineProperty(target, key, {
      __proto__: null,
      value,
      writable: true,
      enumerable: true,
      configurable: true,
    });

  // An error of a call. `kind` names its class and the property that holds the member's name;
  // `stack` is where the script made the call: the engine's own stack of a rejection holds no
  // frame of the script.
  const toolError = (kind, error, stack) => {
    // By the class itself a script could reach in: by setters, or by another parent.
    const made = p.construct(p.Error, [error.message], kind.class);
    show(made, "tool", error.tool ?? kind.name);
    show(made, "code", error.code ?? "failed");
    show(made, "details", error.details ?? undefined);
    if (kind.property !== "") show(made, kind.property, kind.name);
    const own = error.name;
    if (typeof own === "string" && own !== "" && own !== "ToolError") hide(made, "name", own);
    if (typeof stack === "string" && stack !== "") hide(made, "stack", scriptFrames(stack).text);
    return made;
  };

  const bounded = (text, most) => (text.length <= most ? text : slice(text, 0, most - 1) + "…");

  // A property as text without trusting the object: getters and proxies may throw.
  const read = (value, key) => {
    try {
      const found = value[key];
      return typeof found === "string" ? found : found === undefined ? "" : "" + found;
    } catch {
      return "";
    }
  };

  // The constructors that made an error, by their names in a stack.
  const makersOf = (thrown) => {
    const names = { __proto__: null };
    try {
      for (let at = thrown, i = 0; i < CLASSES && (at = getPrototypeOf(at)) !== null; i++) {
        const name = read(at.constructor, "name");
        names[name] = names["new " + name] = true;
      }
    } catch {
      // A proxy or a getter that throws names none.
    }
    return names;
  };

  const isObject = (value) =>
    (typeof value === "object" && value !== null) || typeof value === "function";

  // What is told of a value that was thrown.
  const describe = (thrown, write) => {
    const record = { __proto__: null, name: "", message: "", stack: "" };
    if (!isObject(thrown)) {
      record.message = typeof thrown === "symbol" ? p.symbolText(thrown) : "" + thrown;
      record.message = bounded(record.message, MESSAGE_CHARS);
      return record;
    }
    record.name = bounded(read(thrown, "name"), NAME_CHARS);
    record.message = bounded(read(thrown, "message"), MESSAGE_CHARS);
    let error = false;
    try {
      error = p.isError(thrown);
    } catch {
      error = false;
    }
    if (!error && typeof thrown !== "function") {
      try {
        const json = write(thrown);
        // Where nothing is to be seen of an object, its message says more.
        const bare = json === undefined || (json === "{}" && record.message !== "");
        if (!bare) record.message = bounded(json, MESSAGE_CHARS);
      } catch {
        if (record.message === "") record.message = "an object that has no text";
      }
    }
    const frames = scriptFrames(read(thrown, "stack"), makersOf(thrown));
    record.stack = frames.text;
    if (record.stack === "") {
      const kept = p.match(/^(?:    at [^\n]*\(script:\d+:\d+\)\n)+$/, read(thrown, "stack"));
      if (kept !== null) {
        record.stack = kept[0];
        const place = p.match(/\(script:(\d+):(\d+)\)/, record.stack);
        frames.first = { __proto__: null, line: +place[1], column: +place[2] };
      }
    }
    if (frames.first !== null) {
      record.line = frames.first.line;
      record.column = frames.first.column;
    }
    if (error) {
      try {
        if (p.hasInstance(ToolError, thrown)) {
          record.tool = bounded(read(thrown, "tool"), NAME_CHARS);
          record.code = bounded(read(thrown, "code"), NAME_CHARS);
          record.details = write(thrown.details) ?? "";
        }
      } catch {
        record.details = "";
      }
      record.memory =
        getPrototypeOf(thrown) === p.InternalError.prototype && record.message === "out of memory";
      record.cause = causeOf(thrown);
    }
    return record;
  };

  const causeOf = (thrown) => {
    try {
      const own = getOwnPropertyDescriptor(thrown, "cause");
      if (own === undefined || own.value === thrown || !isObject(own.value)) return "";
      const name = read(own.value, "name");
      const message = read(own.value, "message");
      return bounded(name === "" ? message : name + ": " + message, 1024);
    } catch {
      return "";
    }
  };

  return {
    __proto__: null,
    ToolError,
    kindOf,
    toolError,
    describe,
    scriptFrames,
    lineIn,
    here,
    hide,
    show,
    isObject,
  };
});
