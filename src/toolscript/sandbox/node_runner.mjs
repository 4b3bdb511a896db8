// The runner: serves many scripts at once over one channel, each in a thread of its own, so that
// neither a loop nor the end of memory in one of them stops another. This thread runs no script
// and always answers. In front of this text the host puts IDENTITY (which runner this is), THREAD
// (the source of a thread) and GUEST (the texts of the guest library).
//
// A block is its length, the number of its script (4 bytes each, little-endian), and a body. From
// the host, the first byte of the body says what it is: `R` a program, `S` settlements, `X` let
// go. To the host it is what the guest says (see guest/bridge.js). Number 0 is the runner itself:
//
//   b ↵ JSON                 ready; which runner and which Node.js this is
//   g SCRIPT MICROSECONDS ↵ JSON   the thread of a script is gone; what it computed, and why
import { readFileSync } from "node:fs";
import { inspect } from "node:util";
import { setFlagsFromString } from "node:v8";
import { Worker } from "node:worker_threads";

// Integers that a double cannot hold are read by their digits, which Node.js 20 tells a reviver of
// `JSON.parse` only with this flag. It has to be set before there is a second thread: the engine
// looks at it twice in one `JSON.parse`, and ends the process where it has changed in between.
if (JSON.parse("1", (key, value, context) => context) === undefined) {
  setFlagsFromString("--harmony-json-parse-with-source");
}

const MIB = 1 << 20;
// What is shared with a thread: UTF-16 units that it has said and nobody has taken yet, which task
// of the system it is (-1 where that does not tell), and what it had computed when its program
// began, in microseconds; 0 before that.
const [SAID, TASK, BEGAN] = [0, 1, 2];
// What a thread needs for itself and the guest library.
const LEAST_MIB = 16;
const YOUNG_MIB = 8;
// The system gives a thread this much, whatever the engine is told.
const MOST_STACK_MIB = 3;
// How soon, and how often at least, it is looked at what a script has computed.
const LOOK_MS = 10;
const LOOK_AGAIN_MS = 250;
const SETTLEMENT_BYTES = 22;
const MOST_REASON = 1000;

const limitsOf = ({ memory_bytes: memory, stack_bytes: stack }) => {
  const limits = {};
  if (memory !== null) {
    limits.maxOldGenerationSizeMb = Math.max(LEAST_MIB, Math.ceil(memory / MIB));
    limits.maxYoungGenerationSizeMb = YOUNG_MIB;
  }
  if (stack !== null) {
    limits.stackSizeMb = Math.min(MOST_STACK_MIB, Math.max(1, stack / MIB));
  }
  return limits;
};

// A thread that waits for its program. What it prints past the guest library goes nowhere.
const startThread = (limits) => {
  const shared = new Int32Array(new SharedArrayBuffer(12));
  const worker = new Worker(THREAD, {
    eval: true,
    workerData: { guest: GUEST, shared },
    resourceLimits: limits,
    stdout: true,
    stderr: true,
  });
  worker.stdout.resume();
  worker.stderr.resume();
  return { worker, shared };
};

// What a thread has computed, in milliseconds. Where the system does not tell, it is the time in
// which the thread was not waiting, and on a busy machine that is longer.
const computedBy = (worker, task) => {
  if (task < 0) return worker.performance.eventLoopUtilization().active;
  return parseInt(readFileSync(`/proc/self/task/${task}/schedstat`, "latin1"), 10) / 1e6;
};

// The next thread is made ahead, for a program with the same limits as the last one.
let spare = null;
const makeSpare = (key, limits) => {
  if (spare !== null) return;
  let made;
  try {
    made = { key, thread: startThread(limits) };
  } catch {
    // The next program needs one and says why there is none.
    return;
  }
  const lost = () => {
    if (spare === made) spare = null;
  };
  made.thread.worker.on("error", lost).on("exit", lost);
  spare = made;
};

const takeThread = (limits) => {
  const key = JSON.stringify(limits);
  if (spare !== null && spare.key !== key) {
    spare.thread.worker.terminate();
    spare = null;
  }
  const thread = spare === null ? startThread(limits) : spare.thread;
  spare = null;
  setTimeout(makeSpare, 0, key, limits);
  return thread;
};

const BOUNDS = ["memory_bytes", "stack_bytes", "cpu_s", "frame_bytes"];
const TEXTS = ["options", "code", "surface", "catalog", "input", "store", "modules"];

const readProgram = (body) => {
  const end = body.indexOf(10);
  const numbers = JSON.parse(body.toString("utf8", 1, end));
  const program = {};
  BOUNDS.forEach((name, index) => {
    program[name] = numbers[index];
  });
  let at = end + 1;
  TEXTS.forEach((name, index) => {
    const length = numbers[BOUNDS.length + index];
    program[name] = body.toString("utf8", at, at + length);
    at += length;
  });
  return program;
};

const readSettlements = (body) => {
  const found = [];
  let at = 1;
  while (at < body.length) {
    const now = Number(body.readBigInt64LE(at + 6));
    const length = body.readUInt32LE(at + 14);
    const faceLength = body.readInt32LE(at + 18);
    const item = {
      seq: body.readUInt32LE(at),
      ok: body[at + 4] === 1,
      bigints: body[at + 5] === 1,
      now: now < 0 ? null : now,
      text: "",
      face: null,
    };
    at += SETTLEMENT_BYTES;
    item.text = body.toString("utf8", at, at + length);
    at += length;
    if (faceLength >= 0) {
      item.face = body.toString("utf8", at, at + faceLength);
      at += faceLength;
    }
    found.push(item);
  }
  return found;
};

// One program in its thread, from its first block to the moment when the thread is gone.
const runScript = (program, say, leave) => {
  const { worker, shared } = takeThread(limitsOf(program));
  const taken = performance.now();
  let used = 0;
  let over = false;
  let stopped = false;
  let why = "";
  let timer = null;

  const finish = (record) => {
    if (over) return;
    over = true;
    say("e\n" + JSON.stringify(record) + "\n\n");
    stop("");
  };

  const measure = () => {
    const began = Atomics.load(shared, BEGAN) / 1000;
    if (began === 0) return;
    try {
      const computed = computedBy(worker, Atomics.load(shared, TASK)) - began;
      // Of a thread that has ended, its loop says nonsense.
      used = Math.max(used, Math.min(computed, performance.now() - taken));
    } catch {
      // The thread has ended, and so it stays with what was seen last.
    }
  };

  const stop = (reason) => {
    if (stopped) return;
    stopped = true;
    why = reason;
    over = true;
    measure();
    clearTimeout(timer);
    worker.terminate();
  };

  const look = () => {
    measure();
    const left = program.cpu_s === null ? Infinity : program.cpu_s * 1000 - used;
    if (left > 0) timer = setTimeout(look, Math.min(Math.max(left, LOOK_MS), LOOK_AGAIN_MS));
    else finish({ outcome: "timeout", message: "the script used up its computing time" });
  };

  const heard = (said) => {
    if (over) return;
    if (typeof said !== "string") {
      stop("the script spoke past the guest library");
      return;
    }
    const text = said.slice(1);
    if (Buffer.byteLength(text) > program.frame_bytes) {
      const message = "a single message is larger than the host takes";
      finish({ outcome: "limit", limit: "frame_bytes", message });
      return;
    }
    const sent = () => {
      Atomics.sub(shared, SAID, text.length);
      Atomics.notify(shared, SAID);
    };
    if (text !== "") say(text, sent);
    if (said[0] === "e") stop("");
  };

  const broke = (error) => {
    if (error?.code === "ERR_WORKER_OUT_OF_MEMORY") {
      finish({ outcome: "memory", message: "out of memory" });
      return;
    }
    const message = typeof error?.message === "string" ? error.message : inspect(error);
    stop("its thread failed: " + message.slice(0, MOST_REASON));
  };

  worker.on("message", heard);
  worker.on("error", broke);
  worker.on("exit", () => {
    over = true;
    clearTimeout(timer);
    leave(used, why || "the script ended its thread");
  });
  look();
  worker.postMessage(program);
  return {
    settle: (body) => {
      if (!over) worker.postMessage(readSettlements(body));
    },
    stop: () => stop("the host let go of the script"),
  };
};

// The blocks of a stream of bytes, handed on one by one.
const blocksOf = (input, take) => {
  let parts = [];
  let size = 0;
  let wanted = 4;
  input.on("data", (part) => {
    parts.push(part);
    size += part.length;
    if (size < wanted) return;
    const bytes = parts.length === 1 ? part : Buffer.concat(parts);
    let at = 0;
    for (;;) {
      wanted = bytes.length - at < 4 ? 4 : 4 + bytes.readUInt32LE(at);
      if (bytes.length - at < wanted) break;
      take(bytes.readUInt32LE(at + 4), bytes.subarray(at + 8, at + wanted));
      at += wanted;
    }
    parts = [bytes.subarray(at)];
    size = bytes.length - at;
  });
};

export const startRunner = ({ input, output }) => {
  const scripts = new Map();

  const send = (number, text, sent) => {
    const body = Buffer.from(text);
    const head = Buffer.alloc(8);
    head.writeUInt32LE(body.length + 4, 0);
    head.writeUInt32LE(number, 4);
    output.write(Buffer.concat([head, body]), sent);
  };

  const begin = (number, body) => {
    const say = (text, sent) => send(number, text, sent);
    const leave = (used, why) => {
      scripts.delete(number);
      send(0, "g " + number + " " + Math.round(used * 1000) + "\n" + JSON.stringify(why) + "\n");
    };
    try {
      scripts.set(number, runScript(readProgram(body), say, leave));
    } catch (error) {
      // The system gives no thread; the scripts that have one go on.
      leave(0, "its thread cannot be started: " + error.message);
    }
  };

  blocksOf(input, (number, body) => {
    const kind = String.fromCharCode(body[0]);
    if (kind === "R") begin(number, body);
    else if (kind === "S") scripts.get(number)?.settle(body);
    else if (kind === "X") scripts.get(number)?.stop();
  });
  // An orderly exit would wait for the threads, and one of them may be held by native code.
  const leave = () => process.kill(process.pid, "SIGKILL");
  input.on("end", leave).on("error", leave);
  output.on("error", leave);
  send(0, "b\n" + JSON.stringify({ runner: IDENTITY, node: process.versions.node }) + "\n");
};
