// A pinned clock and random source: the only chance that a script has, made repeatable.
(function clock(p, { options }) {
  const { apply, construct, Date: RealDate } = p;
  let now = options.clock.now_ms;

  const toText = RealDate.prototype.toString;
  function Date(...args) {
    if (new.target === undefined) return apply(toText, construct(RealDate, [now]), []);
    return construct(RealDate, args.length === 0 ? [now] : args, new.target);
  }
  const fixed = (target, key, value) =>
    p.defineProperty(target, key, {
      __proto__: null,
      value,
      writable: true,
      enumerable: false,
      configurable: true,
    });
  fixed(Date, "length", 7);
  // A function's own `prototype` cannot be defined anew, only written.
  Date.prototype = RealDate.prototype;
  fixed(Date, "now", () => now);
  fixed(Date, "parse", RealDate.parse);
  fixed(Date, "UTC", RealDate.UTC);
  fixed(RealDate.prototype, "constructor", Date);
  fixed(globalThis, "Date", Date);

  // Mulberry32: small, fast, and the same on every machine.
  const imul = Math.imul;
  let state = options.clock.seed | 0;
  fixed(Math, "random", () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  });

  // When an object in a cycle is let go depends on all that is in memory, not on the script alone.
  delete globalThis.WeakRef;

  return (time) => {
    now = time;
  };
});
