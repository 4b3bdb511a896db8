// Values across the boundary: JSON text out, values in. Nothing is changed silently: what has no
// JSON form is refused with its path. No walk recurses, so no nesting can exhaust the stack.
(function values(p, { options }) {
  const MAX_DEPTH = 512;
  const MAX_DIGITS = 4000;
  const MAX_EXACT = 9007199254740991;
  const { apply, stringify, keys, isArray, getPrototypeOf } = p;
  const js = options.json === "js";
  const lossless = options.json === "lossless";
  const plain = p.Object.prototype;
  const list = p.Array.prototype;

  class Refusal {
    constructor(path, why) {
      this.path = path;
      this.message = why;
    }
  }
  p.setPrototypeOf(Refusal.prototype, null);

  const step = (key) => {
    if (typeof key === "number") return "[" + key + "]";
    const word = /^[A-Za-z_$][\w$]{0,63}$/;
    if (p.match(word, key) !== null) return "." + key;
    const short = key.length > 40 ? p.slice(key, 0, 40) + "…" : key;
    return "[" + stringify(short) + "]";
  };

  const refuse = (stack, depth, why) => {
    let path = "$";
    for (let i = 0; i < depth; i++) {
      const frame = stack[i];
      if (i === 16 && depth > 24) {
        path += "…";
        i = depth - 8;
      }
      path += step(frame.keys === null ? frame.index - 1 : frame.keys[frame.index - 1]);
    }
    return new Refusal(path, why);
  };

  // Objects whose own properties are not what they hold; JSON would make them an empty object.
  const opaque = (value) => {
    if (p.isView(value)) return "a typed array has no JSON form; pass Array.from(it)";
    const tag = p.toTag(value);
    if (tag === "[object Map]") return "a Map has no JSON form; pass Object.fromEntries(it)";
    if (tag === "[object Set]") return "a Set has no JSON form; pass Array.from(it)";
    if (p.isError(value)) return "an Error has no JSON form; pass its message";
    if (tag === "[object RegExp]") return "a RegExp has no JSON form; pass its source";
    if (p.hasInstance(p.Promise, value)) return "a Promise has no JSON form; await it first";
    if (p.hasInstance(p.ArrayBuffer, value)) return "an ArrayBuffer has no JSON form";
    if (p.hasInstance(p.WeakMap, value)) return "a WeakMap has no JSON form";
    return "";
  };

  const unbox = (value) => {
    switch (p.toTag(value)) {
      case "[object Number]":
        return p.numberValue(value);
      case "[object String]":
        return p.stringValue(value);
      case "[object Boolean]":
        return p.booleanValue(value);
    }
    return value;
  };

  const strictArray = (value) => {
    if (getPrototypeOf(value) !== list) return "an instance of a class has no lossless JSON form";
    const own = p.ownKeys(value);
    if (own.length !== value.length + 1) {
      return "an array with holes or extra properties has no lossless JSON form";
    }
    return "";
  };

  const strictObject = (value) => {
    const proto = getPrototypeOf(value);
    if (proto !== plain && proto !== null) return "only plain objects have a lossless JSON form";
    const own = p.ownKeys(value);
    if (own.length !== keys(value).length) {
      return "hidden or symbol properties have no lossless JSON form";
    }
    return "";
  };

  // JSON text of `root`, or undefined when JSON leaves such a value out (js mode only).
  // `settled` maps promises to what they settled to.
  const write = (root, settled) => {
    const stack = { __proto__: null };
    let depth = 0;
    let out = "";
    let value = root;
    let key = "";
    for (;;) {
      // Write `value`; an empty `text` means that a container was opened.
      let text = "";
      let omit = false;
      if (value !== null && typeof value === "object" && settled !== undefined) {
        value = settled(value);
      }
      let type = typeof value;
      if (!lossless && (type === "object" || type === "function") && value !== null) {
        const toJSON = value.toJSON;
        if (typeof toJSON === "function") {
          value = apply(toJSON, value, [typeof key === "number" ? "" + key : key]);
          type = typeof value;
        }
        if (type === "object" && value !== null && getPrototypeOf(value) !== plain) {
          value = unbox(value);
          type = typeof value;
        }
      }
      switch (type) {
        case "string":
          text = stringify(value);
          break;
        case "number":
          if (value - value !== 0) {
            if (!js) throw refuse(stack, depth, value + " has no JSON form");
            text = "null";
          } else if (value === 0 && 1 / value < 0) {
            if (lossless) throw refuse(stack, depth, "-0 has no lossless JSON form");
            text = js ? "0" : "-0.0";
          } else if (!js && (value > MAX_EXACT || value < -MAX_EXACT) && p.floor(value) === value) {
            // The shortest digits that name a large double are not its value.
            text = value < 1e21 && value > -1e21 ? p.bigText(p.BigInt(value)) : "" + value;
          } else text = "" + value;
          break;
        case "boolean":
          text = value ? "true" : "false";
          break;
        case "bigint":
          if (js || lossless) {
            throw refuse(stack, depth, "a BigInt has no JSON form; pass String(it) or Number(it)");
          }
          text = p.bigText(value);
          if (text.length > MAX_DIGITS) {
            throw refuse(stack, depth, "a BigInt of more than " + MAX_DIGITS + " digits");
          }
          break;
        case "undefined":
          if (lossless) throw refuse(stack, depth, "undefined has no lossless JSON form");
          omit = true;
          break;
        case "function":
        case "symbol":
          if (!js) throw refuse(stack, depth, "a " + type + " has no JSON form");
          omit = true;
          break;
        default:
          if (value === null) {
            text = "null";
            break;
          }
          if (depth >= MAX_DEPTH) {
            throw refuse(stack, depth, "nested deeper than " + MAX_DEPTH + " levels");
          }
          for (let i = 0; i < depth; i++) {
            if (stack[i].value === value) throw refuse(stack, depth, "the value contains itself");
          }
          if (isArray(value)) {
            const why = lossless ? strictArray(value) : "";
            if (why !== "") throw refuse(stack, depth, why);
          } else {
            const proto = getPrototypeOf(value);
            let why = "";
            if (lossless) why = strictObject(value);
            else if (!js && proto !== plain && proto !== null) why = opaque(value);
            if (why !== "") throw refuse(stack, depth, why);
          }
      }
      if (text !== "" || omit) {
        if (depth === 0) return omit ? undefined : text;
        const frame = stack[depth - 1];
        if (frame.keys === null) {
          out += (frame.index > 1 ? "," : "") + (omit ? "null" : text);
        } else if (!omit) {
          out += (frame.any ? "," : "") + stringify(key) + ":" + text;
          frame.any = true;
        }
      } else {
        if (depth > 0) {
          const frame = stack[depth - 1];
          if (frame.keys === null) out += frame.index > 1 ? "," : "";
          else {
            out += (frame.any ? "," : "") + stringify(key) + ":";
            frame.any = true;
          }
        }
        const array = isArray(value);
        out += array ? "[" : "{";
        stack[depth++] = {
          __proto__: null,
          value,
          keys: array ? null : keys(value),
          length: 0,
          index: 0,
          any: false,
        };
        const frame = stack[depth - 1];
        frame.length = array ? value.length : frame.keys.length;
      }
      // Find the next value; close what is finished.
      for (;;) {
        const frame = stack[depth - 1];
        if (frame.index < frame.length) {
          key = frame.keys === null ? frame.index : frame.keys[frame.index];
          frame.index++;
          value = frame.value[key];
          break;
        }
        out += frame.keys === null ? "]" : "}";
        stack[--depth] = undefined;
        if (depth === 0) return p.join([out], "");
      }
    }
  };

  // JSON text in which integers may be larger than a double holds: those become BigInt.
  const parseExact = (text) =>
    p.parse(text, (key, value, context) => {
      if (typeof value !== "number") return value;
      const source = context.source;
      if (source.length < 16 || value !== p.floor(value)) return value;
      if (p.match(/[.eE]/, source) !== null) return value;
      return value > MAX_EXACT || value < -MAX_EXACT ? p.BigInt(source) : value;
    });

  const parse = (text, bigints) => (bigints ? parseExact(text) : p.parse(text));

  // For texts that nobody has looked at: exact where a number might need it.
  const parseAny = (text) => parse(text, p.match(/\d{16}/, text) !== null);

  const deepFreeze = (root) => {
    const queue = { __proto__: null };
    let length = 0;
    queue[length++] = root;
    while (length > 0) {
      const value = queue[--length];
      if (value === null || typeof value !== "object") continue;
      p.freeze(value);
      const names = keys(value);
      for (let i = 0; i < names.length; i++) queue[length++] = value[names[i]];
    }
    return root;
  };

  return { __proto__: null, write, parse, parseAny, deepFreeze, Refusal };
});
