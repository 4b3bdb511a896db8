// The first words to a Node.js process (`node -e THIS FD`): take the runner's source from the
// channel, evaluate it, and hand the channel over. FD is a descriptor for both directions, or 0
// for standard input and output.
const descriptor = Number(process.argv[1]);
const { Socket } = require("node:net");
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
  import("data:text/javascript;base64," + source.toString("base64")).then((runner) =>
    runner.startRunner({ input, output }),
  );
};
input.on("readable", begin);
input.on("end", () => process.kill(process.pid, "SIGKILL"));
