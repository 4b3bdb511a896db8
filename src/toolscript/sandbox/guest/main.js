// Puts the parts together: from the parts' makers and the primordials to what the worker calls.
(function main(p, parts, layout) {
  const { defineProperty, hasOwn, stringify } = p;
  let bridge = null;
  let calls = null;
  let moveClock = null;
  let broken = false;

  const define = (name, value) =>
    defineProperty(globalThis, name, {
      __proto__: null,
      value,
      writable: true,
      enumerable: false,
      configurable: true,
    });

  // What the engine has and a script has not: a second clock, jobs whose errors nobody catches,
  // and the class by which running out of memory is told apart.
  const tidy = () => {
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

  const forbidCode = () => {
    const makers = [
      p.getPrototypeOf(() => 0),
      p.getPrototypeOf(async () => 0),
      p.getPrototypeOf(function* () {}),
      p.getPrototypeOf(async function* () {}),
    ];
    const refuse = (prototype) => {
      function Function() {
        throw new p.TypeError("code cannot be made from text here");
      }
      defineProperty(Function, "prototype", { __proto__: null, value: prototype });
      defineProperty(prototype, "constructor", { __proto__: null, value: Function });
      return Function;
    };
    for (let i = makers.length - 1; i >= 0; i--) {
      const replacement = refuse(makers[i]);
      if (i === 0) define("Function", replacement);
    }
    define("eval", () => {
      throw new p.TypeError("eval is switched off here");
    });
  };

  // Some parts are compiled when they are first used.
  const makeLazy = (deps) => {
    const ready = { __proto__: null };
    return (name) => (ready[name] ??= p.eval(layout.lead + parts.lazy[name])(p, deps));
  };

  const start = (settingsText, surfaceText, catalogText, inputText, storeText, modulesText, body) => {
    const options = p.parse(settingsText);
    const surface = p.parse(surfaceText);
    p.setPrototypeOf(surface.hints, null);
    const { options: extra } = surface;
    const limits = { __proto__: null, ...options, ...extra };
    surface.on = { __proto__: null };
    for (let i = 0; i < surface.builtins.length; i++) surface.on[surface.builtins[i]] = true;
    if (surface.groups.length === 0 || surface.groups[0].name !== "tools") {
      throw new p.TypeError("the first group of a surface is named tools");
    }

    tidy();
    if (options.clock !== null) moveClock = parts.clock(p, options.clock);

    const values = parts.values(p, options.json);
    const errors = parts.errors(p, layout);
    bridge = parts.bridge(p, { queueChars: options.frame_bytes });
    calls = parts.calls(p, { bridge, values, errors, options: limits });
    const deps = { bridge, values, errors, calls, options: limits, lazy: null };
    deps.lazy = makeLazy(deps);
    const output = parts.output(p, deps);

    surface.errorClass = (name) => {
      const made = errors.namespaceErrorClass(name);
      define(name, made);
      return made;
    };
    define("ToolError", errors.ToolError);
    const catalog = () => values.deepFreeze(p.parse(catalogText));
    const spaces = parts.namespaces(p, { calls, errors, surface, catalog });
    const { on } = surface;
    const scope = { __proto__: null, tools: spaces.made.tools };

    const names = p.keys(spaces.made);
    for (let i = 0; i < names.length; i++) define(names[i], spaces.made[names[i]]);
    const codemode = spaces.codemode();
    scope.codemode = codemode;
    if (on.codemode) define("codemode", codemode);
    if (on.bindings) define("bindings", spaces.bindings());
    if (on.list) {
      defineProperty(globalThis, "ALL_TOOLS", {
        __proto__: null,
        get: spaces.list,
        configurable: true,
      });
    }
    if (on.console) {
      scope.console = output.makeConsole();
      define("console", scope.console);
    }
    for (const name of ["text", "emit", "log", "image", "progress"]) {
      if (on[name]) define(name, output[name]);
    }
    if (on.store) {
      const { store, load } = output.makeStore(storeText);
      define("store", store);
      define("load", load);
    }
    if (on.exit) {
      define("exit", () => {
        bridge.end({ __proto__: null, outcome: "exited" }, "");
        throw new p.Error("exit() ended the script");
      });
    }
    if (on.timers) {
      const timers = parts.timers(p, { bridge, calls });
      const timerNames = p.keys(timers);
      for (let i = 0; i < timerNames.length; i++) define(timerNames[i], timers[timerNames[i]]);
    }
    if (on.web) defineWeb(deps.lazy);
    else {
      delete globalThis.atob;
      delete globalThis.btoa;
      delete globalThis.DOMException;
    }
    spaces.helpers(define);
    if (inputText !== "") {
      scope.input = values.deepFreeze(values.parse(inputText, p.match(/\d{16}/, inputText) !== null));
      if (on.input) define("input", scope.input);
    }
    const load = makeLoader(p.parse(modulesText), scope);
    if (!options.allow_eval) forbidCode();
    run(body, { __proto__: null, scope: p.freeze(scope), load }, { values, errors, output });
  };

  // `atob` and `btoa` are the engine's; the rest is made when it is first touched.
  const defineWeb = (lazy) => {
    const names = ["structuredClone", "TextEncoder", "TextDecoder", "URL", "URLSearchParams"];
    for (let i = 0; i < names.length; i++) {
      const name = names[i];
      defineProperty(globalThis, name, {
        __proto__: null,
        get: () => {
          const value = lazy("web")[name];
          define(name, value);
          return value;
        },
        set: (value) => define(name, value),
        enumerable: false,
        configurable: true,
      });
    }
  };

  // The modules of a program, each evaluated once.
  const makeLoader = (modules, scope) => {
    const loaded = { __proto__: null };
    const load = (name) => {
      if (!hasOwn(modules, name)) {
        const known = p.join(p.keys(modules), ", ");
        const there = known === "" ? "no modules can be imported here" : "there are: " + known;
        throw new p.TypeError("cannot import " + stringify("" + name) + "; " + there);
      }
      const make = () =>
        p.eval("(async function ($module) {" + modules[name] + "\n})")({
          __proto__: null,
          scope,
          load,
        });
      return (loaded[name] ??= make());
    };
    return load;
  };

  // Run the body and tell the end, whatever it is.
  const run = async (body, module, { values, errors, output }) => {
    try {
      let value;
      try {
        value = await bridge.own(body(module));
      } catch (thrown) {
        threw(thrown, values, errors);
        return;
      }
      await returned(value, values, errors, output);
    } catch {
      // Only out of memory, or stack, while telling the end comes here.
      broken = true;
    }
  };

  const threw = (thrown, values, errors) => {
    const record = errors.describe(thrown, values.write);
    record.outcome = record.memory === true ? "memory" : "threw";
    bridge.end(record, "");
  };

  const returned = async (value, values, errors, output) => {
    const settled = new p.WeakMap();
    let json;
    for (;;) {
      const waiting = { __proto__: null };
      let count = 0;
      const look = (found) => {
        if (!p.hasInstance(p.Promise, found)) return found;
        const done = p.weakGet(settled, found);
        if (done !== undefined) return done.value;
        waiting[count++] = found;
        return null;
      };
      try {
        json = values.write(value, look);
      } catch (error) {
        bridge.end(invalid(error, values, errors), "");
        return;
      }
      if (count === 0) break;
      for (let i = 0; i < count; i++) {
        try {
          p.weakSet(settled, waiting[i], { value: await bridge.own(waiting[i]) });
        } catch (thrown) {
          threw(thrown, values, errors);
          return;
        }
      }
    }
    const record = { __proto__: null, outcome: "returned" };
    const text = output.faceText(value);
    if (text !== undefined) record.text = text;
    bridge.end(record, json ?? "");
  };

  const invalid = (error, values, errors) => {
    const record = { __proto__: null, outcome: "invalid_output" };
    if (p.hasInstance(values.Refusal, error)) {
      record.message = error.path + ": " + error.message;
      return record;
    }
    const told = errors.describe(error, values.write);
    if (told.memory === true) return { ...told, outcome: "memory" };
    record.message = "$: reading the returned value threw " + told.name + ": " + told.message;
    return record;
  };

  const entry = {
    __proto__: null,
    start,
    take: () => bridge.take(),
    // 0: nothing to fetch, 1: something, 2: the script has ended, 3: it could not be told how.
    pulse: () => (broken ? 3 : bridge.ended ? 2 : bridge.empty ? 0 : 1),
    resolve: (seq, text, bigints, face) => calls.resolve(seq, text, bigints, face),
    reject: (seq, text) => calls.reject(seq, text),
    tick: (time) => {
      if (moveClock !== null) moveClock(time);
    },
  };
  return (name) => entry[name];
});
