// The first words to a Node.js process (`node -e THIS FD HOST`): take the runner's source from the
// channel, evaluate it, and hand the channel over. FD is a descriptor for both directions, or 0
// for standard input and output. HOST is the process that started this one, where it must not
// outlive that; otherwise there is none.
const [descriptor, host] = process.argv.slice(1).map(Number);
const { Socket } = require("node:net");
const { Worker } = require("node:worker_threads");
// Who started this process: the host, or a program of its own that stands between them.
const parent = process.ppid;

// In a thread of its own: a script that floods the main one with messages leaves it no moment to
// notice that the channel has ended.
const watchHost = () => {
  const watch = `setInterval(() => {
    let alive = process.ppid === ${parent};
    try {
      process.kill(${host}, 0);
    } catch ({ code }) {
      // Windows gives no other parent to a process whose parent has ended.
      if (code === "ESRCH") alive = false;
    }
    if (!alive) process.kill(process.pid, "SIGKILL");
  }, 200)`;
  new Worker(watch, { eval: true }).unref();
};

const input = descriptor ? new Socket({ fd: descriptor }) : process.stdin;
const output = descriptor ? input : process.stdout;
let length = -1;
const begin = () => {
  if (length < 0) {
    const head = input.read(4);
    if (head === null) return;
    length = head.readUInt32LE(0);
  }
  const source = input.read(length);
  if (source === null) return;
  input.removeListener("readable", begin);
  import("data:text/javascript;base64," + source.toString("base64")).then((runner) => {
    // No thread before this: the runner may switch something on in the engine (see there).
    if (host) watchHost();
    runner.startRunner({ input, output });
  });
};
input.on("readable", begin);
input.on("end", () => process.kill(process.pid, "SIGKILL"));
