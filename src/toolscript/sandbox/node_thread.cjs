// One script in a thread of Node.js: the guest library in the thread's own realm, so that what a
// script imports shares its built-ins. What the guest library defines, it has; what Node.js offers
// besides stays there. Everything that is needed later is taken before a script can change it.
(() => {
  const { parentPort, workerData } = require("node:worker_threads");
  const { readFileSync, readlinkSync } = require("node:fs");
  const { Script } = require("node:vm");
  const { types } = require("node:util");
  const { basename, join } = require("node:path");
  const { pathToFileURL } = require("node:url");

  const { guest, shared } = workerData;
  const [SAID, TASK, BEGAN] = [0, 1, 2];
  // Said and not yet taken, in UTF-16 units, before a script that says more has to wait.
  const MOST_SAID = 16 << 20;
  const STACK_FRAMES = 20;
  // How often a script that waits for Node.js is looked at.
  const POLL_MS = 4;
  const PREFIX = "(async function ($module) {";
  // A text that closes one of these wrappers cannot close all of them (see machine.py).
  const CHECKS = [
    ["throw 0;({async $($module) {", "\n}})"],
    ["throw 0;{async function $($module) {", "\n}}"],
  ];
  const FILE = "<input>";

  const { load: loadNumber, store: storeNumber, add, wait } = Atomics;
  const { setImmediate, setTimeout, setInterval, clearTimeout, clearInterval, DOMException } =
    globalThis;
  const { structuredClone, TextEncoder, TextDecoder, URL, URLSearchParams } = globalThis;
  const activeResources = process.getActiveResourcesInfo.bind(process);
  const post = parentPort.postMessage.bind(parentPort);
  const importNative = (name, options) => import(name, options);

  // -- what is computed

  // Which task of the system this thread is, and the milliseconds that it has computed so far.
  const task = () => {
    try {
      const computed = parseInt(readFileSync("/proc/thread-self/schedstat", "latin1"), 10) / 1e6;
      // Some systems have the file and count nothing.
      if (computed > 0) return [Number(basename(readlinkSync("/proc/thread-self"))), computed];
    } catch {
      // Not every system has it.
    }
    return [-1, performance.eventLoopUtilization().active];
  };

  // Only what the program computes counts, not what its thread did before.
  const beginToCount = () => {
    const [number, computed] = task();
    storeNumber(shared, TASK, number);
    storeNumber(shared, BEGAN, Math.max(1, Math.round(computed * 1000)));
  };

  // -- the guest library, in this realm

  let kit = null;
  let pinned = false;
  let said = () => {};

  const evaluate = (text, name) => new Script(text, { filename: name }).runInThisContext();
  const part = (name) => evaluate(guest[name], "<guest " + name + ">");

  // The bridge, with word of whatever it is given to say.
  const noticed = (p, theKit) => {
    kit = theKit;
    const bridge = part("bridge")(p, theKit);
    const { send, submit, cancel, end, endWith } = bridge;
    const telling =
      (act, now) =>
      (first, second, third) => {
        try {
          return act(first, second, third);
        } finally {
          said(now);
        }
      };
    bridge.send = telling(send, true);
    bridge.submit = telling(submit, false);
    bridge.cancel = telling(cancel, false);
    bridge.end = telling(end, false);
    bridge.endWith = telling(endWith, false);
    return bridge;
  };

  // With a pinned clock, timers are the host's; otherwise those that Node.js programs expect.
  const timers = (p, theKit) => {
    const ours = part("timers")(p, theKit);
    if (pinned) return ours;
    const { sleep } = ours;
    return {
      __proto__: null,
      sleep,
      setTimeout,
      setInterval,
      clearTimeout,
      clearInterval,
    };
  };

  const web = () => ({
    __proto__: null,
    structuredClone,
    TextEncoder,
    TextDecoder,
    URL,
    URLSearchParams,
  });

  // A program's own modules come first, then those that Node.js finds from its folder.
  const program = (p, theKit) => {
    const ours = part("program")(p, theKit);
    const own = p.parse(theKit.texts.modules);
    const load = (name, options) =>
      p.hasOwn(own, name) ? ours.load(name) : importNative(name, options);
    const filename = join(process.cwd(), "[script]");
    const url = pathToFileURL(filename).href;
    const meta = { __proto__: null, dirname: process.cwd(), filename, url };
    return { __proto__: null, ...ours, load, meta };
  };

  // The library counts on what QuickJS has and this engine has not.
  const prepare = () => {
    globalThis.InternalError = class InternalError extends Error {};
    const { isError } = Error;
    Error.isError = (value) => types.isNativeError(value) || value instanceof DOMException;
    const primordials = part("primordials")();
    if (isError === undefined) delete Error.isError;
    else Error.isError = isError;
    const layout = { __proto__: null, line: 0, columns: 0, lead: '"use strict";' };
    const replaced = {
      __proto__: null,
      bridge: noticed,
      plain: part("plain"),
      timers,
      web,
      program,
    };
    const entry = part("main")(primordials, layout, replaced);
    for (const name in guest) entry("source")(name, guest[name]);
    return entry;
  };

  // Takes away what only QuickJS has, and leaves what belongs to Node.js.
  const tidy = (entry) => {
    const kept = ["performance", "FinalizationRegistry"].map((name) => [
      name,
      Object.getOwnPropertyDescriptor(globalThis, name),
    ]);
    entry("tidy")();
    Error.stackTraceLimit = STACK_FRAMES;
    for (const [name, descriptor] of kept) {
      if (!pinned) Object.defineProperty(globalThis, name, descriptor);
    }
    for (const name of ["require", "module", "exports", "__filename", "__dirname"]) {
      delete globalThis[name];
    }
  };

  // -- the script

  // Where the engine found what is wrong: line, the text of the line, and a mark below it.
  const placeOf = (error, prefix) => {
    const [first = "", shown = "", mark = ""] = String(error.stack).split("\n");
    const line = Number(/:(\d+)$/.exec(first)?.[1] ?? 1);
    const at = mark.indexOf("^") + 1;
    const column = line === 1 && shown.startsWith(prefix) ? at - prefix.length : at;
    return { line, column: Math.max(1, column) };
  };

  // The script as a function; what cannot be compiled is told, and gives undefined.
  const compile = (code) => {
    const forms = [...CHECKS, [PREFIX, "\n})"]];
    let script;
    for (const [prefix, suffix] of forms) {
      try {
        const options = { filename: FILE, columnOffset: -prefix.length };
        script = new Script(prefix + code + suffix, options);
      } catch (error) {
        const { name, message } = error;
        const record = { outcome: "syntax", name, message, ...placeOf(error, prefix) };
        post("ee\n" + JSON.stringify(record) + "\n\n");
        return undefined;
      }
    }
    return script.runInThisContext();
  };

  // -- turns: one settlement, or the end of what could go on, at a time

  const start = (entry, settings) => {
    const take = entry("take");
    const pulse = entry("pulse");
    const resolve = entry("resolve");
    const reject = entry("reject");
    const tick = entry("tick");
    // A list without a prototype: no setter of a script reaches it.
    const waiting = Object.setPrototypeOf([], null);
    let first = 0;
    let last = 0;
    let settled = 0;
    let due = false;
    let told = -1;
    let over = false;

    const tell = (kind, text) => {
      add(shared, SAID, text.length);
      post(kind + text);
      for (let size = loadNumber(shared, SAID); size > MOST_SAID; size = loadNumber(shared, SAID)) {
        wait(shared, SAID, size);
      }
    };

    const flush = () => {
      for (let text = take(); text !== ""; text = take()) tell("s", text);
    };

    const wake = () => {
      if (due || over) return;
      due = true;
      setImmediate(turn);
    };

    // Something of Node.js that the script started is still under way.
    const busy = () => {
      const active = activeResources();
      for (let i = 0; i < active.length; i++) {
        if (active[i] !== "MessagePort") return true;
      }
      return false;
    };

    const deliver = () => {
      const { seq, ok, bigints, now, text, face } = waiting[first];
      waiting[first++] = undefined;
      if (now !== null) tick(now);
      settled++;
      told = -1;
      if (ok) resolve(seq, text, bigints, face);
      else reject(seq, text);
    };

    const turn = () => {
      due = false;
      if (over) return;
      flush();
      const state = pulse();
      if (state >= 2) {
        over = true;
        tell("e", state === 3 ? 'e\n{"outcome":"memory","message":"out of memory"}\n\n' : "");
      } else if (first < last) {
        deliver();
        wake();
      } else if (busy()) {
        told = -1;
        setTimeout(wake, POLL_MS).unref();
      } else if (told !== settled) {
        told = settled;
        tell("s", "i " + settled + "\n");
      }
    };

    // Output goes out at once, as a script that computes gives no other moment for it.
    said = (now) => {
      if (over) return;
      told = -1;
      if (now && pulse() === 1) flush();
      else wake();
    };

    parentPort.on("message", (settlements) => {
      for (let i = 0; i < settlements.length; i++) waiting[last++] = settlements[i];
      wake();
    });
    process.on("unhandledRejection", () => {});
    process.on("uncaughtException", (error) => {
      kit.threw(error);
      wake();
    });

    const { options, surface, catalog, input, store, modules, code } = settings;
    const body = compile(code);
    if (body === undefined) return;
    tidy(entry);
    wake();
    entry("start")(options, surface, catalog, input, store, modules, body);
  };

  const entry = prepare();
  parentPort.once("message", (settings) => {
    beginToCount();
    pinned = JSON.parse(settings.options).clock !== null;
    start(entry, settings);
  });
})();
