// Values as a reader of Node.js output expects them: `{ a: 1 }`, `Map(1) { 1 => 2 }`, `%s`.
(function inspect(p, kit) {
  const { stringify, slice } = p;
  const errors = kit.need("errors");
  const LINE_CHARS = 80;
  const MOST_ITEMS = 100;
  const MOST_STRING = 10000;

  const OPAQUE = {
    __proto__: null,
    "[object Promise]": "<pending>",
    "[object WeakMap]": "<items unknown>",
    "[object WeakSet]": "<items unknown>",
  };

  const spaces = (count) => p.repeat(" ", count);

  const quote = (text) => {
    const long = text.length > MOST_STRING;
    const shown = long ? slice(text, 0, MOST_STRING) : text;
    const json = escaped(stringify(shown));
    const rest = long ? "... " + (text.length - MOST_STRING) + " more characters" : "";
    if (p.indexOf(shown, "'") >= 0) {
      if (p.indexOf(shown, '"') < 0) return json + rest;
      if (p.indexOf(shown, "`") < 0 && p.indexOf(shown, "${") < 0) {
        return "`" + unescaped(json) + "`" + rest;
      }
      return "'" + p.join(p.split(unescaped(json), "'"), "\\'") + "'" + rest;
    }
    return "'" + unescaped(json) + "'" + rest;
  };

  const HEX = "0123456789ABCDEF";
  const hex = (code) => "\\x" + HEX[code >> 4] + HEX[code & 15];

  // Control characters as `\x1B`; JSON has no such escape, and leaves some as they are.
  const escaped = (json) => {
    if (p.match(/\\u00|[\x7f-\x9f]/, json) === null) return json;
    let text = "";
    for (let i = 0; i < json.length; i++) {
      const code = p.codeAt(json, i);
      if (code >= 0x7f && code < 0xa0) text += hex(code);
      else if (json[i] !== "\\") text += json[i];
      else if (slice(json, i, i + 4) === "\\u00") {
        text += hex(p.parseInt("0x" + slice(json, i + 4, i + 6)));
        i += 5;
      } else text += json[i] + json[++i];
    }
    return text;
  };

  const unescaped = (json) => p.join(p.split(slice(json, 1, -1), '\\"'), '"');

  const keyText = (key) => {
    if (typeof key === "symbol") return "[" + p.symbolText(key) + "]";
    return p.match(/^[A-Za-z_]\w*$/, key) !== null ? key : quote(key);
  };

  const primitive = (value) => {
    switch (typeof value) {
      case "string":
        return quote(value);
      case "number":
        return value === 0 && 1 / value < 0 ? "-0" : "" + value;
      case "bigint":
        return p.bigText(value) + "n";
      case "symbol":
        return p.symbolText(value);
    }
    return "" + value;
  };

  // The name of the class that made an object; "" where it has no prototype.
  const className = (value) => {
    let from = value;
    for (let i = 0; from !== null && i < 20; i++) {
      const own = p.getOwnPropertyDescriptor(from, "constructor");
      if (own !== undefined && typeof own.value === "function") {
        const name = p.getOwnPropertyDescriptor(own.value, "name");
        if (name !== undefined && typeof name.value === "string") return name.value;
      }
      from = p.getPrototypeOf(from);
    }
    return "";
  };

  const functionText = (value) => {
    const own = p.getOwnPropertyDescriptor(value, "name");
    const name = own !== undefined && typeof own.value === "string" ? own.value : "";
    const prototype = p.getOwnPropertyDescriptor(value, "prototype");
    if (prototype !== undefined && prototype.writable === false) {
      const parent = p.getPrototypeOf(value);
      const from = parent === null ? undefined : p.getOwnPropertyDescriptor(parent, "name");
      const extended = from !== undefined && from.value !== "" ? " extends " + from.value : "";
      return "[class " + (name === "" ? "(anonymous)" : name) + extended + "]";
    }
    const tag = slice(p.toTag(value), 8, -1);
    const kind = p.match(/^(Async)?(Generator)?Function$/, tag) !== null ? tag : "Function";
    return "[" + kind + (name === "" ? " (anonymous)" : ": " + name) + "]";
  };

  // `Name: message`, where it was thrown, and what it holds besides.
  const errorText = (value, indent) => {
    const told = errors.describe(value, () => undefined);
    const head = told.name === "" ? "Error" : told.name;
    let text = told.message === "" ? head : head + ": " + told.message;
    const stack = told.stack === "" ? "" : slice(told.stack, 0, -1);
    if (stack !== "") text += "\n" + stack;
    else if (p.indexOf(text, "\n") < 0) text = "[" + text + "]";
    return indent === 0 ? text : p.join(p.split(text, "\n"), "\n" + spaces(indent));
  };

  const join = (parts, between) => {
    let text = "";
    for (let i = 0; i < parts.length; i++) text += (i > 0 ? between : "") + parts[i];
    return text;
  };

  // A text that is too long for its line, a line of it on each.
  const lines = (text, indent) => {
    if (text.length <= 16 || text.length <= LINE_CHARS - indent - 4) return quote(text);
    if (text.length > MOST_STRING) return quote(text);
    const parts = p.split(text, "\n");
    let shown = "";
    for (let i = 0; i < parts.length; i++) {
      const last = i === parts.length - 1;
      if (last && parts[i] === "" && i > 0) break;
      shown += (i > 0 ? " +\n" + spaces(indent + 2) : "") + quote(parts[i] + (last ? "" : "\n"));
    }
    return shown;
  };

  const inspect = (value, depth = 2) => {
    const state = { __proto__: null, most: depth, deepest: 0, circular: new p.Map(), seen: [] };
    return format(value, 0, 0, state);
  };

  const add = (list, item) =>
    p.defineProperty(list, list.length, {
      __proto__: null,
      value: item,
      writable: true,
      enumerable: true,
      configurable: true,
    });

  const format = (value, level, indent, state) => {
    if (typeof value === "string" && level > 0) return lines(value, indent);
    if (!errors.isObject(value)) return primitive(value);
    for (let i = 0; i < state.seen.length; i++) {
      if (state.seen[i] !== value) continue;
      let mark = p.mapGet(state.circular, value);
      if (mark === undefined) {
        mark = p.mapSize(state.circular) + 1;
        p.mapSet(state.circular, value, mark);
      }
      return "[Circular *" + mark + "]";
    }
    try {
      return container(value, level, indent, state);
    } catch (error) {
      const told = errors.describe(error, () => undefined);
      return "[an object that cannot be shown: " + told.message + "]";
    }
  };

  const container = (value, level, indent, state) => {
    const tag = p.toTag(value);
    const array = p.isArray(value);
    const view = !array && p.isView(value) && tag !== "[object DataView]";
    let name = className(value);
    const bare = p.getPrototypeOf(value) === null;
    if (bare) {
      const own = p.getOwnPropertyDescriptor(value, p.Symbol.toStringTag);
      name = own !== undefined ? "" + own.value : "[Object: null prototype]";
    }
    let head = "";
    let open = "{";
    let close = "}";
    let base = "";
    const names = p.ownKeys(value);
    const shown = [];
    const indexed = array || view || tag === "[object String]";
    for (let i = 0; i < names.length; i++) {
      const key = names[i];
      if (indexed && typeof key === "string" && p.match(/^\d+$/, key) !== null) continue;
      const own = p.getOwnPropertyDescriptor(value, key);
      if (own !== undefined && own.enumerable) add(shown, key);
    }
    if (array || view) {
      open = "[";
      close = "]";
      if (view || name !== "Array") head = name + "(" + value.length + ") ";
    } else if (tag === "[object Map]" || tag === "[object Set]") {
      const count = tag === "[object Map]" ? p.mapSize(value) : p.setSize(value);
      head = name + "(" + count + ") ";
      if (name !== slice(tag, 8, -1)) head += "[" + slice(tag, 8, -1) + "] ";
    } else if (typeof value === "function") base = functionText(value);
    else if (p.isError(value)) base = errorText(value, indent);
    else if (tag === "[object RegExp]") base = p.regExpText(value);
    else if (tag === "[object Date]") {
      base = p.is(p.dateTime(value), NaN) ? "Invalid Date" : p.dateText(value);
    } else if (tag === "[object Number]")
      base = "[Number: " + primitive(p.numberValue(value)) + "]";
    else if (tag === "[object String]") base = "[String: " + quote(p.stringValue(value)) + "]";
    else if (tag === "[object Boolean]") base = "[Boolean: " + p.booleanValue(value) + "]";
    else if (OPAQUE[tag] !== undefined) return name + " { " + OPAQUE[tag] + " }";
    else if (tag !== "[object Object]" && slice(tag, 8, -1) !== name && !tagged(value)) {
      head = (name === "" ? "Object" : name) + " [" + slice(tag, 8, -1) + "] ";
    } else if (name !== "Object") head = name + " ";
    if (base !== "" && shown.length === 0) return base;
    let size = shown.length;
    if (array || view) size += value.length;
    else if (tag === "[object Map]") size += p.mapSize(value);
    else if (tag === "[object Set]") size += p.setSize(value);
    if (level > state.most && size > 0) {
      if (array) return "[Array]";
      return "[" + (bare ? "Object: null prototype" : name) + "]";
    }

    if (size > 0) state.deepest = level;
    add(state.seen, value);
    const parts = [];
    if (array || view) items(value, array, level, indent, state, parts);
    else if (tag === "[object Map]") {
      p.mapEach(value, (item, key) => {
        if (parts.length >= MOST_ITEMS) return;
        const left = format(key, level + 1, indent + 2, state);
        add(parts, left + " => " + format(item, level + 1, indent + 2, state));
      });
    } else if (tag === "[object Set]") {
      p.setEach(value, (item) => {
        if (parts.length < MOST_ITEMS) add(parts, format(item, level + 1, indent + 2, state));
      });
    }
    if (!array && !view) more(size - shown.length - parts.length, parts);
    const listed = array || view ? p.min(parts.length, MOST_ITEMS) : 0;
    for (let i = 0; i < shown.length; i++) {
      const own = p.getOwnPropertyDescriptor(value, shown[i]);
      if (own === undefined) continue;
      let text;
      if (own.get !== undefined) text = own.set !== undefined ? "[Getter/Setter]" : "[Getter]";
      else if (own.set !== undefined) text = "[Setter]";
      else text = format(own.value, level + 1, indent + 2, state);
      add(parts, keyText(shown[i]) + ": " + text);
    }
    state.seen.length -= 1;

    const mark = p.mapGet(state.circular, value);
    const reference = mark === undefined ? "" : "<ref *" + mark + "> ";
    if (base !== "") head = base + " ";
    if (parts.length === 0) return reference + head + open + close;
    return reference + lay(parts, listed, head + open, close, level, indent, state, numeric(value));
  };

  const tagged = (value) => p.hasOwn(value, p.Symbol.toStringTag);

  const numeric = (value) => {
    if (!p.isArray(value)) return true;
    for (let i = 0; i < value.length && i < MOST_ITEMS; i++) {
      if (typeof value[i] !== "number" && typeof value[i] !== "bigint") return false;
    }
    return true;
  };

  const items = (value, array, level, indent, state, parts) => {
    const { length } = value;
    let index = 0;
    while (index < length && parts.length < MOST_ITEMS) {
      if (array && !p.hasOwn(value, index)) {
        const from = index;
        while (index < length && !p.hasOwn(value, index) && index - from < 1e6) index++;
        if (index - from === 1e6) index = length;
        const count = index - from;
        add(parts, "<" + count + " empty item" + (count > 1 ? "s" : "") + ">");
        continue;
      }
      add(parts, format(value[index], level + 1, indent + 2, state));
      index++;
    }
    more(length - index, parts);
  };

  const more = (count, parts) => {
    if (count > 0) add(parts, "... " + count + " more item" + (count > 1 ? "s" : ""));
  };

  // Items of a long list in columns, as Node.js lays them out; null where a line each is better.
  const columns = (parts, listed, indent, numbers) => {
    let total = 0;
    let widest = 0;
    for (let i = 0; i < listed; i++) {
      total += parts[i].length + 2;
      if (parts[i].length + 2 > widest) widest = parts[i].length + 2;
    }
    if (widest * 3 + indent >= LINE_CHARS || !(total / widest > 5 || widest <= 8)) return null;
    const biased = p.max(widest - 3 - p.sqrt(widest - total / parts.length), 1);
    const square = p.round(p.sqrt(2.5 * biased * listed) / biased);
    const count = p.min(square, p.floor((LINE_CHARS - indent) / widest), 12, 15);
    if (count <= 1) return null;
    const widths = [];
    for (let i = 0; i < count; i++) {
      let width = 0;
      for (let j = i; j < listed; j += count) width = p.max(width, parts[j].length);
      add(widths, width);
    }
    const rows = [];
    for (let i = 0; i < listed; i += count) {
      let row = "";
      for (let j = i; j < listed && j < i + count; j++) {
        const last = j === listed - 1 || j === i + count - 1;
        const pad = spaces(widths[j - i] - parts[j].length);
        const comma = last ? "" : ", ";
        row += numbers ? pad + parts[j] + comma : parts[j] + comma + (last ? "" : pad);
      }
      add(rows, row);
    }
    for (let i = listed; i < parts.length; i++) add(rows, parts[i]);
    return rows;
  };

  // On one line if it is short and not deep, else a line for each part or row of a list.
  const lay = (parts, listed, open, close, level, indent, state, numbers) => {
    const rows = listed > 6 ? columns(parts, listed, indent, numbers) : null;
    let total = parts.length + open.length + indent + 10;
    let lines = rows !== null;
    for (let i = 0; i < parts.length; i++) {
      total += parts[i].length + 1;
      if (p.indexOf(parts[i], "\n") >= 0) lines = true;
    }
    if (!lines && total <= LINE_CHARS && state.deepest - level < 3) {
      return open + " " + join(parts, ", ") + " " + close;
    }
    const margin = "\n" + spaces(indent + 2);
    return open + margin + join(rows ?? parts, "," + margin) + "\n" + spaces(indent) + close;
  };

  const show = (value) => (typeof value === "string" ? value : inspect(value));

  const placeholder = (kind, value) => {
    switch (kind) {
      case "s":
        if (typeof value === "string") return value;
        if (errors.isObject(value) && typeof value !== "function") return inspect(value, 0);
        return primitive(value);
      case "d":
      case "i":
      case "f":
        if (typeof value === "bigint") return p.bigText(value) + "n";
        if (typeof value === "symbol" || errors.isObject(value)) return "NaN";
        if (kind === "d") return primitive(+value);
        return primitive(kind === "i" ? p.parseInt("" + value) : p.parseFloat("" + value));
      case "j":
        try {
          return stringify(value) ?? "undefined";
        } catch {
          return "[Circular]";
        }
      case "o":
        return inspect(value, 4);
      case "O":
        return inspect(value);
    }
    return "";
  };

  // `console.log` with placeholders in its first argument.
  const formatAll = (args) => {
    const pattern = args[0];
    let text = "";
    let next = 1;
    let from = 0;
    for (let i = 0; i + 1 < pattern.length; i++) {
      if (pattern[i] !== "%") continue;
      const kind = pattern[i + 1];
      const known = p.indexOf("sdifjoOc", kind) >= 0;
      if (kind !== "%" && (!known || next >= args.length)) continue;
      text += slice(pattern, from, i) + (kind === "%" ? "%" : placeholder(kind, args[next++]));
      from = i + 2;
      i++;
    }
    text += slice(pattern, from);
    for (; next < args.length; next++) text += " " + show(args[next]);
    return text;
  };

  return { __proto__: null, inspect, format: formatAll };
});
