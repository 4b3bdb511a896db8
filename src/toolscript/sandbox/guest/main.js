// From the primordials and the texts of the parts to what the worker calls. A part is compiled
// when it is first needed, or before, while the worker has nothing to do.
(function main(p, layout, compiled) {
  const { defineProperty } = p;
  const sources = { __proto__: null };
  const made = { __proto__: null };

  const compile = (name) => (compiled[name] ??= p.eval(layout.lead + sources[name]));

  // What every part is given besides the primordials.
  const kit = {
    __proto__: null,
    need: (name) => (made[name] ??= compile(name)(p, kit)),
    layout,
    options: null,
    surface: null,
    texts: null,
    faces: null,
    last: null,
    owner: null,
  };

  const bridge = kit.need("bridge");

  const define = (name, value) =>
    defineProperty(globalThis, name, {
      __proto__: null,
      value,
      writable: true,
      enumerable: false,
      configurable: true,
    });

  // A global that is made when it is first touched.
  const promise = (name, make) =>
    defineProperty(globalThis, name, {
      __proto__: null,
      get: () => {
        const value = make();
        define(name, value);
        return value;
      },
      set: (value) => define(name, value),
      enumerable: false,
      configurable: true,
    });

  // What the engine has and a script has not: a second clock, jobs whose errors nobody catches, a
  // hook that is shown the library's own functions, and the class by which running out of memory
  // is told apart.
  const tidy = () => {
    p.Error.stackTraceLimit = 20;
    delete p.Error.stackTraceLimit;
    delete p.Error.prepareStackTrace;
    delete globalThis.performance;
    delete globalThis.FinalizationRegistry;
    delete globalThis.InternalError;
    define("queueMicrotask", (callback) => {
      if (typeof callback !== "function") {
        throw new p.TypeError("queueMicrotask takes a function, not " + typeof callback);
      }
      (async () => {
        await undefined;
        callback();
      })();
    });
    defineProperty(p.InternalError.prototype, "constructor", {
      __proto__: null,
      value: p.Error,
      writable: true,
      enumerable: false,
      configurable: true,
    });
  };

  const start = (optionsText, surfaceText, catalog, input, store, modules, body) => {
    const options = p.parse(optionsText);
    const surface = p.parse(surfaceText);
    p.setPrototypeOf(surface.hints, null);
    kit.options = { __proto__: null, ...options, ...surface.options };
    kit.surface = surface;
    kit.texts = { __proto__: null, catalog, input, store, modules };
    const on = { __proto__: null };
    for (let i = 0; i < surface.builtins.length; i++) on[surface.builtins[i]] = true;
    surface.on = on;
    if (options.clock !== null) kit.need("clock");

    const spaces = () => kit.need("namespaces");
    promise("ToolError", () => kit.need("errors").ToolError);
    const { groups, helpers, shortcuts } = surface;
    for (let i = 0; i < groups.length; i++) {
      const { name, error_class: named } = groups[i];
      promise(name, () => spaces().made[name]);
      if (named !== null) promise(named[0], () => kit.need("errors").kindOf(named));
    }
    if (on.codemode) promise("codemode", () => spaces().codemode());
    if (on.bindings) promise("bindings", () => spaces().bindings());
    if (on.list) promise("ALL_TOOLS", () => spaces().list());
    for (let i = 0; i < helpers.length; i++) {
      const dot = p.indexOf(helpers[i].name, ".");
      const name = dot < 0 ? helpers[i].name : p.slice(helpers[i].name, 0, dot);
      promise(name, () => spaces().helper(name));
    }
    const short = p.keys(shortcuts);
    for (let i = 0; i < short.length; i++) {
      promise(short[i], () => spaces().shortcut(shortcuts[short[i]]));
    }

    const offer = (part, names) => {
      for (let i = 0; i < names.length; i++) promise(names[i], () => kit.need(part)[names[i]]);
    };
    for (const name of ["text", "emit", "log", "image", "progress"]) {
      if (on[name]) offer("output", [name]);
    }
    if (on.console) promise("console", () => kit.need("output").makeConsole());
    if (on.store) offer("store", ["store", "load"]);
    if (on.exit) define("exit", exit);
    if (on.timers) {
      offer("timers", ["sleep", "setTimeout", "setInterval", "clearTimeout", "clearInterval"]);
    }
    if (on.web) {
      offer("web", ["structuredClone", "TextEncoder", "TextDecoder", "URL", "URLSearchParams"]);
    } else {
      delete globalThis.atob;
      delete globalThis.btoa;
      delete globalThis.DOMException;
    }
    if (on.input && input !== "") promise("input", () => kit.need("program").input());
    if (!options.allow_eval) kit.need("program").forbidCode(define);
    run(body);
  };

  const exit = () => {
    bridge.end({ __proto__: null, outcome: "exited" }, "");
    throw new p.Error("exit() ended the script");
  };

  // What the body is given: the scope and the modules of a module, made when asked for, and a
  // place to leave the value of its last variable.
  const bodyModule = () => ({
    __proto__: null,
    get scope() {
      return kit.need("program").scope();
    },
    load: (name, options) => kit.need("program").load(name, options),
    get meta() {
      return kit.need("program").meta;
    },
    unreturned: (_, value) => {
      kit.last = { __proto__: null, value };
    },
  });
  kit.bodyModule = bodyModule;

  // Run the body and tell the end, whatever it is.
  const run = async (body) => {
    try {
      let value;
      try {
        value = await bridge.own(body(bodyModule()));
      } catch (thrown) {
        kit.threw(thrown);
        return;
      }
      await returned(value);
    } catch {
      // Only out of memory, or stack, while telling the end comes here.
      bridge.breakOff();
    }
  };

  kit.threw = (thrown) => {
    const record = kit.need("errors").describe(thrown, kit.need("values").write);
    record.outcome = record.memory === true ? "memory" : "threw";
    bridge.end(record, "");
  };

  const returned = (value) => {
    const guessed = value === undefined && kit.last !== null;
    const json = kit.faces === null && !guessed ? kit.need("plain")(value) : "";
    if (json === "" && (value !== undefined || guessed)) return kit.need("result")(value, guessed);
    return bridge.end({ __proto__: null, outcome: "returned" }, json);
  };

  const entry = {
    __proto__: null,
    source: (name, text) => {
      sources[name] = text;
    },
    warm: (name) => {
      compile(name);
    },
    tidy,
    start,
    take: bridge.take,
    hand: bridge.hand,
    pulse: bridge.pulse,
    resolve: (seq, text, bigints, face) => kit.need("calls").resolve(seq, text, bigints, face),
    reject: (seq, text) => kit.need("calls").reject(seq, text),
    tick: (time) => {
      if (kit.options.clock !== null && kit.options.clock.advancing) kit.need("clock")(time);
    },
  };
  return (name) => entry[name];
});
