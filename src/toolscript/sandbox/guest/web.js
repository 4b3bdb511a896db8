// The pure helpers of the web that models expect, without the network behind them.
(function web(p, kit) {
  const text = kit.need("text");
  return {
    __proto__: null,
    structuredClone: kit.need("clone"),
    TextEncoder: text.TextEncoder,
    TextDecoder: text.TextDecoder,
    URL: kit.need("url"),
    URLSearchParams: kit.need("query").URLSearchParams,
  };
});
