// The quick way out for ordinary values: JSON.stringify, where it changes nothing silently. That
// holds for plain objects and lists of strings, booleans, null and ordinary numbers; everything
// else is for `values.js`, which takes four times as long.
(function plain(p, kit) {
  const { isArray, getPrototypeOf, values, stringify } = p;
  // The walk recurses; deeper values are for `values.js`, whose walk does not.
  const MAX_LEVELS = 64;
  const MAX_EXACT = 9007199254740991;
  // Comparing with what fits into 31 bits is quicker.
  const MAX_SMALL = 2147483647;
  const ordinary = p.Object.prototype;
  const list = p.Array.prototype;

  const isOrdinary = (number) => {
    if (number === 0) return 1 / number > 0;
    return number <= MAX_EXACT && number >= -MAX_EXACT;
  };

  const simple = (source, levels) => {
    if (source.toJSON !== undefined) return false;
    const proto = getPrototypeOf(source);
    let items = source;
    if (proto === ordinary || proto === null) items = values(source);
    else if (proto !== list || !isArray(source)) return false;
    const { length } = items;
    for (let i = 0; i < length; i++) {
      const value = items[i];
      // In the order of how often they come.
      if (typeof value === "string") continue;
      if (typeof value === "number") {
        if ((value > 0 && value <= MAX_SMALL) || isOrdinary(value)) continue;
        return false;
      }
      if (typeof value === "object") {
        if (value === null || (levels > 1 && simple(value, levels - 1))) continue;
        return false;
      }
      if (typeof value !== "boolean" && value !== undefined) return false;
    }
    return true;
  };

  // JSON text, or "" for a value that needs more care.
  return (root) => {
    if (kit.options.json !== "bigint") return "";
    const type = typeof root;
    if (type === "string" || type === "boolean" || root === null) return stringify(root);
    if (type === "number") return root - root === 0 && isOrdinary(root) ? "" + root : "";
    if (type !== "object") return "";
    try {
      return simple(root, MAX_LEVELS) ? stringify(root) : "";
    } catch {
      // A proxy or a getter may throw; a setter of Array.prototype reaches into the engine's own
      // JSON.stringify.
      return "";
    }
  };
});
