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

  const spaces = () => kit.need("namespaces");
  const from = (part) => (name) => kit.need(part)[name];
  const output = from("output");
  const timers = from("timers");
  const web = from("web");

  // The globals of every script, by what switches them on: a name, and what makes its value.
  const offers = {
    __proto__: null,
    codemode: { __proto__: null, codemode: () => spaces().codemode() },
    bindings: { __proto__: null, bindings: () => spaces().bindings() },
    list: { __proto__: null, ALL_TOOLS: () => spaces().list() },
    text: { __proto__: null, text: output },
    emit: { __proto__: null, emit: output },
    log: { __proto__: null, log: output },
    image: { __proto__: null, image: output },
    progress: { __proto__: null, progress: output },
    console: { __proto__: null, console: () => kit.need("output").makeConsole() },
    store: { __proto__: null, store: from("store"), load: from("store") },
    exit: { __proto__: null, exit: () => exit },
    timers: {
      __proto__: null,
      sleep: timers,
      setTimeout: timers,
      setInterval: timers,
      clearTimeout: timers,
      clearInterval: timers,
    },
    web: {
      __proto__: null,
      structuredClone: web,
      TextEncoder: web,
      TextDecoder: web,
      URL: web,
      URLSearchParams: web,
    },
    input: { __proto__: null, input: () => kit.need("program").input() },
  };
  const switches = p.keys(offers);

  // Done before there is a script, which then waits only for what is its own.
  const offer = () => {
    promise("ToolError", () => kit.need("errors").ToolError);
    for (let i = 0; i < switches.length; i++) {
      const globals = offers[switches[i]];
      const names = p.keys(globals);
      for (let j = 0; j < names.length; j++) promise(names[j], () => globals[names[j]](names[j]));
    }
  };

  const withdraw = (on) => {
    for (let i = 0; i < switches.length; i++) {
      if (on[switches[i]] === true) continue;
      const names = p.keys(offers[switches[i]]);
      for (let j = 0; j < names.length; j++) delete globalThis[names[j]];
    }
    if (on.web === true) return;
    delete globalThis.atob;
    delete globalThis.btoa;
    delete globalThis.DOMException;
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
    if (input === "") on.input = false;
    if (options.clock !== null) kit.need("clock");
    withdraw(on);

    const { groups, helpers, shortcuts } = surface;
    for (let i = 0; i < groups.length; i++) {
      const { name, error_class: named } = groups[i];
      promise(name, () => spaces().made[name]);
      if (named !== null) promise(named[0], () => kit.need("errors").kindOf(named));
    }
    for (let i = 0; i < helpers.length; i++) {
      const dot = p.indexOf(helpers[i].name, ".");
      const name = dot < 0 ? helpers[i].name : p.slice(helpers[i].name, 0, dot);
      promise(name, () => spaces().helper(name));
    }
    const short = p.keys(shortcuts);
    for (let i = 0; i < short.length; i++) {
      promise(short[i], () => spaces().shortcut(shortcuts[short[i]]));
    }
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
    unheard: (promise, name, line) => {
      kit.need("output").unheard(promise, name, line);
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
    need: (name) => {
      kit.need(name);
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
  offer();
  return (name) => entry[name];
});
