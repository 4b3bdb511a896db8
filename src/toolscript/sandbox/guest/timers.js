// Waits happen in the host; a timer is a helper call that the script can give up.
(function timers(p, kit) {
  const { apply } = p;
  const bridge = kit.need("bridge");
  const calls = kit.need("calls");

  const clean = (ms) => {
    const number = +ms;
    return number > 0 && number < 2147483648 ? number : number >= 2147483648 ? 2147483647 : 0;
  };

  const sleep = async (ms) => {
    await bridge.own(calls.callHelper("sleep", { ms: clean(ms) }));
  };

  // `alive` maps the number that the script holds to the call that waits for it.
  const alive = { __proto__: null };
  let count = 0;

  const start = (callback, ms, args, repeat) => {
    if (typeof callback !== "function") {
      throw new p.TypeError("a timer takes a function, not " + typeof callback);
    }
    const id = ++count;
    const wait = async () => {
      const json = '{"ms":' + clean(ms) + "}";
      const head = (seq) => "h " + seq + ' 0\n"sleep"\n';
      await bridge.own(
        new p.Promise((resolve, reject) => {
          alive[id] = bridge.submit(head, json, { __proto__: null, resolve, reject });
        }),
      );
      if (!(id in alive)) return;
      delete alive[id];
      if (repeat) wait();
      try {
        await apply(callback, undefined, args);
      } catch (error) {
        // Nobody waits for a callback: its error would be lost.
        kit.need("output").warn("Uncaught in a timer:", error);
      }
    };
    wait();
    return id;
  };

  const setTimeout = (callback, ms, ...args) => start(callback, ms, args, false);
  const setInterval = (callback, ms, ...args) => start(callback, ms, args, true);
  const clear = (id) => {
    if (typeof id !== "number" || !(id in alive)) return;
    bridge.cancel(alive[id]);
    delete alive[id];
  };

  return {
    __proto__: null,
    sleep,
    setTimeout,
    setInterval,
    clearTimeout: clear,
    clearInterval: clear,
  };
});
