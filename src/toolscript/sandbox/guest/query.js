// URLSearchParams and percent-encoding (WHATWG URL).
(function query(p, kit) {
  const { encode, decodeUtf8 } = kit.need("text");
  const { slice, indexOf } = p;
  const HEX = "0123456789ABCDEF";

  const percent = (text, keep) => {
    const bytes = encode(text);
    let out = "";
    for (let i = 0; i < bytes.length; i++) {
      const byte = bytes[i];
      const char = p.fromCode(byte);
      if (byte > 0x20 && byte < 0x7f && keep(char)) out += char;
      else out += "%" + HEX[byte >> 4] + HEX[byte & 15];
    }
    return out;
  };

  const unpercent = (text) => {
    if (indexOf(text, "%") < 0) return text;
    const bytes = encode(text);
    const out = new p.Uint8Array(bytes.length);
    let at = 0;
    for (let i = 0; i < bytes.length; i++) {
      const hex = bytes[i] === 37 ? p.fromCode(bytes[i + 1] ?? 0, bytes[i + 2] ?? 0) : "";
      if (hex !== "" && p.match(/^[0-9A-Fa-f]{2}$/, hex) !== null) {
        out[at++] = p.parseInt(hex, 16);
        i += 2;
      } else out[at++] = bytes[i];
    }
    return decodeUtf8(p.bytesSlice(out, 0, at), false);
  };

  const inForm = (char) => p.match(/[A-Za-z0-9*\-._]/, char) !== null;
  const formEncode = (text) => p.join(p.split(percent(text, inForm), "%20"), "+");
  const formDecode = (text) => unpercent(p.join(p.split(text, "+"), " "));

  class URLSearchParams {
    #pairs = [];
    #changed = null;

    constructor(init = "", changed = null) {
      this.#changed = typeof changed === "function" && kit.owner === changed ? changed : null;
      if (typeof init === "string") this.#read(init);
      else if (
        typeof init === "object" &&
        init !== null &&
        typeof init[p.Symbol.iterator] === "function"
      ) {
        for (const pair of init) this.append(pair[0], pair[1]);
      } else if (typeof init === "object" && init !== null) {
        const names = p.keys(init);
        for (let i = 0; i < names.length; i++) this.append(names[i], init[names[i]]);
      } else this.#read("" + init);
    }
    #read(text) {
      const query = text[0] === "?" ? slice(text, 1) : text;
      const parts = p.split(query, "&");
      const pairs = [];
      for (let i = 0; i < parts.length; i++) {
        if (parts[i] === "") continue;
        const equals = indexOf(parts[i], "=");
        const name = equals < 0 ? parts[i] : slice(parts[i], 0, equals);
        const value = equals < 0 ? "" : slice(parts[i], equals + 1);
        p.push(pairs, [formDecode(name), formDecode(value)]);
      }
      this.#pairs = pairs;
    }
    #tell() {
      if (this.#changed !== null) this.#changed(this.toString());
    }
    get size() {
      return this.#pairs.length;
    }
    append(name, value) {
      p.push(this.#pairs, ["" + name, "" + value]);
      this.#tell();
    }
    delete(name, value) {
      const keep = (pair) =>
        pair[0] !== "" + name || (value !== undefined && pair[1] !== "" + value);
      this.#pairs = p.filter(this.#pairs, keep);
      this.#tell();
    }
    get(name) {
      const found = p.find(this.#pairs, (pair) => pair[0] === "" + name);
      return found === undefined ? null : found[1];
    }
    getAll(name) {
      return p.map(
        p.filter(this.#pairs, (pair) => pair[0] === "" + name),
        (pair) => pair[1],
      );
    }
    has(name, value) {
      const fits = (pair) =>
        pair[0] === "" + name && (value === undefined || pair[1] === "" + value);
      return p.find(this.#pairs, fits) !== undefined;
    }
    set(name, value) {
      let seen = false;
      const keep = (pair) => {
        if (pair[0] !== "" + name) return true;
        if (seen) return false;
        seen = true;
        pair[1] = "" + value;
        return true;
      };
      this.#pairs = p.filter(this.#pairs, keep);
      if (!seen) p.push(this.#pairs, ["" + name, "" + value]);
      this.#tell();
    }
    sort() {
      p.sort(this.#pairs, (a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0));
      this.#tell();
    }
    forEach(callback, receiver) {
      for (let i = 0; i < this.#pairs.length; i++) {
        p.apply(callback, receiver, [this.#pairs[i][1], this.#pairs[i][0], this]);
      }
    }
    toString() {
      const text = (pair) => formEncode(pair[0]) + "=" + formEncode(pair[1]);
      return p.join(p.map(this.#pairs, text), "&");
    }
    *entries() {
      for (let i = 0; i < this.#pairs.length; i++) yield [this.#pairs[i][0], this.#pairs[i][1]];
    }
    *keys() {
      for (let i = 0; i < this.#pairs.length; i++) yield this.#pairs[i][0];
    }
    *values() {
      for (let i = 0; i < this.#pairs.length; i++) yield this.#pairs[i][1];
    }
    [p.Symbol.iterator]() {
      return this.entries();
    }
  }

  return { __proto__: null, percent, unpercent, URLSearchParams };
});
