// The quick way out for ordinary values: JSON.stringify, where it changes nothing silently. That
// holds for plain objects and lists of strings, booleans, null and ordinary numbers; everything
// else is for `values.js`, which takes four times as long.
(function plain(p, kit) {
  const { isArray, getPrototypeOf, keys, stringify } = p;
  const MAX_DEPTH = 512;
  const MAX_EXACT = 9007199254740991;
  const ordinary = p.Object.prototype;

  const simple = (root) => {
    const work = p.list();
    const levels = p.list();
    work[0] = root;
    levels[0] = 1;
    let count = 1;
    while (count > 0) {
      const source = work[--count];
      const level = levels[count];
      if (level > MAX_DEPTH || source.toJSON !== undefined) return false;
      let names = null;
      let { length } = source;
      if (!isArray(source)) {
        if (getPrototypeOf(source) !== ordinary) return false;
        names = keys(source);
        length = names.length;
      }
      for (let i = 0; i < length; i++) {
        const value = source[names === null ? i : names[i]];
        switch (typeof value) {
          case "string":
          case "boolean":
          case "undefined":
            break;
          case "number":
            if (value === 0 ? 1 / value < 0 : !(value <= MAX_EXACT && value >= -MAX_EXACT)) {
              return false;
            }
            break;
          case "object":
            if (value !== null) {
              levels[count] = level + 1;
              work[count++] = value;
            }
            break;
          default:
            return false;
        }
      }
    }
    return true;
  };

  // JSON text, or "" for a value that needs more care.
  return (root) => {
    if (kit.options.json !== "bigint") return "";
    const type = typeof root;
    if (type === "string" || type === "boolean" || root === null) return stringify(root);
    if (type === "number") return root - root === 0 && simple({ root }) ? "" + root : "";
    if (type !== "object") return "";
    try {
      return simple(root) ? stringify(root) : "";
    } catch {
      // A proxy or a getter may throw; a setter of Array.prototype reaches into the engine's own
      // JSON.stringify.
      return "";
    }
  };
});
