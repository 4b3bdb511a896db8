// What an engine that knows no language has of them, in English. Installed in the contexts of those
// scripts that have a use for it.
(function english(p, kit) {
  // Taken before the script begins, and not with the primordials, which every context pays for.
  const free = Function.prototype.bind.bind(Function.prototype.call);
  kit.language = {
    __proto__: null,
    upper: free(String.prototype.toUpperCase),
    normalize: free(String.prototype.normalize),
    dateOffset: free(Date.prototype.getTimezoneOffset),
  };
  const hidden = { __proto__: null, enumerable: false, configurable: true };
  const speak = (target, name, part, act) => {
    let write;
    const method = {
      [name](...args) {
        write ??= kit.need(part)[act];
        return write(this, args);
      },
    };
    p.defineProperty(target, name, { ...hidden, writable: true, value: method[name] });
  };
  speak(p.Number.prototype, "toLocaleString", "numbers", "number");
  speak(p.BigInt.prototype, "toLocaleString", "numbers", "bigint");
  speak(p.Date.prototype, "toLocaleString", "dates", "both");
  speak(p.Date.prototype, "toLocaleDateString", "dates", "date");
  speak(p.Date.prototype, "toLocaleTimeString", "dates", "time");
  speak(p.String.prototype, "localeCompare", "collation", "text");
  const intl = { ...hidden, writable: true, value: kit.need("intl") };
  p.defineProperty(globalThis, "Intl", intl);
  return { __proto__: null };
});
