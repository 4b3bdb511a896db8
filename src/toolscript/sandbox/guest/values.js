// Values across the boundary: JSON text out, values in. Nothing is changed silently: what has no
// JSON form is refused with its path. No walk recurses, so no nesting can exhaust the stack.
(function values(p, kit) {
  const MAX_DEPTH = 512;
  const MAX_DIGITS = 4000;
  const MAX_EXACT = 9007199254740991;
  // The first integer that is the double of two texts: itself and the one after it.
  const LAST_DOUBLE = "9007199254740992";
  const { apply, stringify, keys, isArray, getPrototypeOf } = p;
  const js = kit.options.json === "js";
  const lossless = kit.options.json === "lossless";
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
      path += step(frame.names === null ? frame.index - 1 : frame.names[frame.index - 1]);
    }
    return new Refusal(path, why);
  };

  // Objects whose own properties are not what they hold, by their prototypes; JSON would make them
  // an empty object.
  const builtIns = new p.Map();
  const refused = (made, why) => p.mapSet(builtIns, made.prototype, why);
  refused(p.Map, "a Map has no JSON form; pass Object.fromEntries(it)");
  refused(p.Set, "a Set has no JSON form; pass Array.from(it)");
  refused(p.RegExp, "a RegExp has no JSON form; pass its source");
  refused(p.Promise, "a Promise has no JSON form; await it first");
  refused(p.ArrayBuffer, "an ArrayBuffer has no JSON form");
  refused(p.WeakMap, "a WeakMap has no JSON form");

  const opaque = (value) => {
    if (p.isView(value)) return "a typed array has no JSON form; pass Array.from(it)";
    for (let at = getPrototypeOf(value); at !== null; at = getPrototypeOf(at)) {
      const why = p.mapGet(builtIns, at);
      if (why !== undefined) return why;
    }
    if (keys(value).length > 0) return "";
    // What says of itself that it is something special, and shows nothing of it.
    const tag = p.slice(p.toTag(value), 8, -1);
    if (tag === "Object" || tag === "Arguments") return "";
    return "an object of the kind " + p.slice(tag, 0, 40) + " has no JSON form";
  };

  const boxes = {
    __proto__: null,
    "[object Number]": p.numberValue,
    "[object String]": p.stringValue,
    "[object Boolean]": p.booleanValue,
    "[object BigInt]": p.bigValue,
  };
  const unbox = (value) => {
    try {
      const open = boxes[p.toTag(value)];
      return open === undefined ? value : open(value);
    } catch {
      // Anything can call itself a number, or throw when it is asked.
      return value;
    }
  };

  // What an error says, and its own visible properties, which JSON would give alone. Its stack
  // is not among them: it says where, and not what.
  const errorRecord = (error) => {
    const { name, message } = error;
    const record = { __proto__: null, name, message };
    const own = keys(error);
    for (let i = 0; i < own.length; i++) record[own[i]] = error[own[i]];
    if (p.isArray(error.errors)) record.errors = error.errors;
    return record;
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

  // JSON text of a primitive; undefined where JSON leaves the value out. Throws a string: why it
  // has no JSON form.
  const writePrimitive = (value) => {
    switch (typeof value) {
      case "string":
        return stringify(value);
      case "number":
        if (value - value !== 0) {
          if (js) return "null";
          if (value === value) throw value + " has no JSON form";
          throw "NaN has no JSON form; what it was computed from is undefined or not a number";
        }
        if (value === 0) {
          if (js || 1 / value > 0) return "0";
          if (lossless) throw "-0 has no lossless JSON form";
          return "-0.0";
        }
        if ((value > MAX_EXACT || value < -MAX_EXACT) && !js && p.floor(value) === value) {
          // The shortest digits that name a large double are not its value.
          return value < 1e21 && value > -1e21 ? p.bigText(p.BigInt(value)) : "" + value;
        }
        return "" + value;
      case "boolean":
        return value ? "true" : "false";
      case "bigint": {
        if (js || lossless) throw "a BigInt has no JSON form; pass String(it) or Number(it)";
        const text = p.bigText(value);
        if (text.length > MAX_DIGITS) throw "a BigInt of more than " + MAX_DIGITS + " digits";
        return text;
      }
      case "undefined":
        if (lossless) throw "undefined has no lossless JSON form";
        return undefined;
    }
    if (value === null) return "null";
    if (!js) throw "a " + typeof value + " has no JSON form";
    return undefined;
  };

  // What JSON takes in place of an object: what its `toJSON` gives, or what it boxes.
  const replacement = (value, key) => {
    const { toJSON } = value;
    if (typeof toJSON === "function") {
      const made = apply(toJSON, value, ["" + key]);
      if (made === null && !js && p.hasInstance(p.Date, value)) {
        throw "an invalid Date has no JSON form";
      }
      value = made;
    }
    if (typeof value === "object" && value !== null && getPrototypeOf(value) !== plain && !isArray(value)) {
      return p.isError(value) ? errorRecord(value) : unbox(value);
    }
    return value;
  };

  // Why an object cannot be opened, or "".
  const closed = (value, stack, depth) => {
    if (depth >= MAX_DEPTH) return "nested deeper than " + MAX_DEPTH + " levels";
    for (let i = 0; i < depth; i++) {
      if (stack[i].source === value) return "the value contains itself";
    }
    if (isArray(value)) return lossless ? strictArray(value) : "";
    if (lossless) return strictObject(value);
    const proto = getPrototypeOf(value);
    return js || proto === plain || proto === null ? "" : opaque(value);
  };

  // JSON text of `root`, or undefined when JSON leaves such a value out.
  // `settled` gives what a promise settled to.
  const write = (root, settled) => {
    const quick = kit.need("plain")(root);
    if (quick !== "") return quick;
    const stack = p.list();
    const labels = { __proto__: null };
    let known = 0;
    const label = (name) => {
      let text = labels[name];
      if (text === undefined) {
        text = stringify(name) + ":";
        if (known++ < 1000) labels[name] = text;
      }
      return text;
    };
    let depth = 0;
    let out = "";
    // The container that is being written: its value, its keys (null for a list) and place.
    let source = null;
    let names = null;
    let length = 0;
    let index = 0;
    let any = false;

    let value = root;
    let key = "";
    try {
      for (;;) {
        if (typeof value === "object" && value !== null) {
          if (settled !== undefined) value = settled(value);
          if (!lossless && typeof value === "object" && value !== null) {
            value = replacement(value, key);
          }
        } else if (typeof value === "function" && js) value = replacement(value, key);

        if (typeof value !== "object" || value === null) {
          const text = writePrimitive(value);
          if (depth === 0) return text;
          if (names === null) out += (any ? "," : "") + (text ?? "null");
          else if (text !== undefined) out += (any ? "," : "") + label(key) + text;
          if (names === null || text !== undefined) any = true;
        } else {
          const why = closed(value, stack, depth);
          if (why !== "") throw why;
          if (depth > 0) {
            if (any) out += ",";
            if (names !== null) out += label(key);
            any = true;
            stack[depth - 1].index = index;
          }
          source = value;
          const list = isArray(value);
          names = list ? null : keys(value);
          length = list ? value.length : names.length;
          index = 0;
          any = false;
          out += list ? "[" : "{";
          stack[depth++] = { __proto__: null, source, names, length, index };
        }

        while (index === length) {
          out += names === null ? "]" : "}";
          stack[--depth] = undefined;
          if (depth === 0) return p.join([out], "");
          ({ source, names, length, index } = stack[depth - 1]);
          any = true;
        }
        key = names === null ? index : names[index];
        index++;
        value = source[key];
      }
    } catch (why) {
      if (typeof why !== "string" || depth > MAX_DEPTH) throw why;
      if (depth > 0) stack[depth - 1].index = index;
      throw refuse(stack, depth, why);
    }
  };

  // JSON text in which integers may be larger than a double holds: those become BigInt.
  const parseExact = (text) =>
    p.parse(text, (key, value, context) => {
      if (typeof value !== "number") return value;
      const source = context.source;
      if (source.length < 16 || value !== p.floor(value)) return value;
      if (p.match(/[.eE]/, source) !== null) return value;
      if (value <= MAX_EXACT && value >= -MAX_EXACT) return value;
      return source === LAST_DOUBLE || source === "-" + LAST_DOUBLE ? value : p.BigInt(source);
    });

  const parse = (text, bigints) => (bigints ? parseExact(text) : p.parse(text));

  // For texts that nobody has looked at: exact where a number might need it.
  const parseAny = (text) => parse(text, p.match(/\d{16}/, text) !== null);

  const deepFreeze = (root) => {
    const queue = p.list();
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
