// The pure helpers of the web that models expect, without the network behind them.
(function web(p, kit) {
  const { TextEncoder, TextDecoder } = kit.need("text");
  const { URLSearchParams } = kit.need("query");
  const classes = { __proto__: null, TextEncoder, TextDecoder, URL: kit.need("url"), URLSearchParams };
  const names = p.keys(classes);
  for (let i = 0; i < names.length; i++) {
    p.defineProperty(classes[names[i]].prototype, p.Symbol.toStringTag, {
      __proto__: null,
      value: names[i],
      configurable: true,
    });
  }
  return { __proto__: null, ...classes, structuredClone: kit.need("clone") };
});
