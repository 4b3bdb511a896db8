// structuredClone (HTML, "structured cloning"), without transfer. The walk does not recurse.
(function clone(p, kit) {
  const errors = kit.need("errors");

  const fail = (what) => {
    const error = new p.Error(what + " could not be cloned");
    errors.hide(error, "name", "DataCloneError");
    return error;
  };

  const ERRORS = [
    "EvalError",
    "RangeError",
    "ReferenceError",
    "SyntaxError",
    "TypeError",
    "URIError",
  ];

  // An empty copy of an object; `fill` says what has to be copied into it.
  const shell = (value) => {
    if (typeof value === "function") throw fail("a function");
    const tag = p.toTag(value);
    if (p.isArray(value)) return { made: new p.Array(value.length), fill: "keys" };
    if (p.isView(value)) {
      const buffer = p.bufferSlice(value.buffer, 0);
      if (tag === "[object DataView]") {
        return { made: new p.DataView(buffer, value.byteOffset, value.byteLength), fill: "" };
      }
      const prototype = p.getPrototypeOf(value);
      return { made: new prototype.constructor(buffer, value.byteOffset, value.length), fill: "" };
    }
    switch (tag) {
      case "[object Date]":
        return { made: new p.Date(p.dateTime(value)), fill: "" };
      case "[object RegExp]":
        return { made: new p.RegExp(value.source, value.flags), fill: "" };
      case "[object Map]":
        return { made: new p.Map(), fill: "map" };
      case "[object Set]":
        return { made: new p.Set(), fill: "set" };
      case "[object ArrayBuffer]":
        return { made: p.bufferSlice(value, 0), fill: "" };
      case "[object Number]":
        return { made: new p.Number(p.numberValue(value)), fill: "" };
      case "[object String]":
        return { made: new p.String(p.stringValue(value)), fill: "" };
      case "[object Boolean]":
        return { made: new p.Boolean(p.booleanValue(value)), fill: "" };
    }
    if (p.isError(value)) {
      const told = errors.describe(value, () => undefined);
      const made = new p.Error(told.message);
      for (let i = 0; i < ERRORS.length; i++) {
        if (told.name === ERRORS[i]) p.setPrototypeOf(made, p.errorPrototypes[ERRORS[i]]);
      }
      errors.hide(made, "stack", value.stack);
      return { made, fill: "" };
    }
    if (p.hasInstance(p.Promise, value)) throw fail("a Promise");
    if (p.hasInstance(p.WeakMap, value)) throw fail("a WeakMap");
    return { made: {}, fill: "keys" };
  };

  return (root) => {
    const copies = new p.Map();
    const work = { __proto__: null };
    let count = 0;

    const copy = (value) => {
      if (typeof value === "symbol") throw fail("a symbol");
      if (!errors.isObject(value)) return value;
      const done = p.mapGet(copies, value);
      if (done !== undefined) return done;
      const { made, fill } = shell(value);
      p.mapSet(copies, value, made);
      if (fill !== "") work[count++] = { value, made, fill };
      return made;
    };

    const result = copy(root);
    while (count > 0) {
      const { value, made, fill } = work[--count];
      if (fill === "map") p.mapEach(value, (item, key) => p.mapSet(made, copy(key), copy(item)));
      else if (fill === "set") p.setEach(value, (item) => p.setAdd(made, copy(item)));
      else {
        const names = p.keys(value);
        for (let i = 0; i < names.length; i++) errors.show(made, names[i], copy(value[names[i]]));
      }
    }
    return result;
  };
});
