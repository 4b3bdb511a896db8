// Values that the caller keeps between runs. What `load` gives is always a copy.
(function store(p, kit) {
  const { options } = kit;
  const bridge = kit.need("bridge");
  const values = kit.need("values");
  const errors = kit.need("errors");
  const calls = kit.need("calls");
  const written = { __proto__: null };
  let total = 0;
  let keyTotal = 0;

  const initial = () => {
    const found = values.parseAny(kit.texts.store);
    const texts = { __proto__: null };
    const names = p.keys(found);
    for (let i = 0; i < names.length; i++) texts[names[i]] = values.write(found[names[i]]);
    return texts;
  };
  const kept = initial();

  const check = (key) => {
    if (typeof key !== "string") throw new p.TypeError("store and load take a string as the key");
  };

  const refuseAbove = (limit, seen, what) => {
    const allowed = options[limit];
    if (typeof allowed !== "number" || seen <= allowed) return;
    const message =
      what +
      " has " +
      seen +
      " characters of JSON; " +
      limit +
      " allows " +
      allowed +
      "; store less of it";
    const details = { limit, allowed, seen };
    const error = { __proto__: null, name: "RangeError", tool: "store", code: "too_large" };
    error.message = message;
    error.details = details;
    throw errors.toolError(calls.general, error, "");
  };

  const store = (key, value) => {
    check(key);
    if (bridge.ended) return;
    const text = value === undefined ? "" : (calls.write(value, "store()") ?? "");
    const grown = total - (written[key] ?? 0) + text.length;
    refuseAbove("store_value_chars", text.length, "the stored value");
    refuseAbove("store_total_chars", grown, "all that this script stores");
    const keys = keyTotal + (written[key] === undefined ? key.length : 0);
    refuseAbove("store_total_chars", keys, "the keys of all that this script stores");
    keyTotal = keys;
    total = grown;
    written[key] = text.length;
    if (text === "") delete kept[key];
    else kept[key] = text;
    bridge.send("s\n" + p.stringify(key) + "\n" + text + "\n");
  };

  const load = (key) => {
    check(key);
    const text = kept[key];
    return text === undefined ? undefined : values.parseAny(text);
  };

  return { __proto__: null, store, load };
});
