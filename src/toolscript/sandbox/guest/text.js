// TextEncoder and TextDecoder (WHATWG Encoding): UTF-8, and UTF-16LE and Latin-1 to read.
(function text(p) {
  const { codeAt, Uint8Array } = p;

  const encode = (string) => {
    const bytes = new Uint8Array(string.length * 3);
    let at = 0;
    for (let i = 0; i < string.length; i++) {
      let code = codeAt(string, i);
      if (code >= 0xd800 && code < 0xe000) {
        const next = code < 0xdc00 && i + 1 < string.length ? codeAt(string, i + 1) : 0;
        if (next >= 0xdc00 && next < 0xe000) {
          code = 0x10000 + ((code - 0xd800) << 10) + (next - 0xdc00);
          i++;
        } else code = 0xfffd;
      }
      if (code < 0x80) bytes[at++] = code;
      else if (code < 0x800) {
        bytes[at++] = 0xc0 | (code >> 6);
        bytes[at++] = 0x80 | (code & 63);
      } else if (code < 0x10000) {
        bytes[at++] = 0xe0 | (code >> 12);
        bytes[at++] = 0x80 | ((code >> 6) & 63);
        bytes[at++] = 0x80 | (code & 63);
      } else {
        bytes[at++] = 0xf0 | (code >> 18);
        bytes[at++] = 0x80 | ((code >> 12) & 63);
        bytes[at++] = 0x80 | ((code >> 6) & 63);
        bytes[at++] = 0x80 | (code & 63);
      }
    }
    return p.bytesSlice(bytes, 0, at);
  };

  // The replacement character stands for each maximal part of an ill-formed sequence.
  const decodeUtf8 = (bytes, fatal) => {
    let out = "";
    let i = 0;
    const { length } = bytes;
    while (i < length) {
      const lead = bytes[i++];
      if (lead < 0x80) {
        out += p.fromCode(lead);
        continue;
      }
      let need = 0;
      let low = 0x80;
      let high = 0xbf;
      if (lead >= 0xc2 && lead <= 0xdf) need = 1;
      else if (lead >= 0xe0 && lead <= 0xef) {
        need = 2;
        if (lead === 0xe0) low = 0xa0;
        if (lead === 0xed) high = 0x9f;
      } else if (lead >= 0xf0 && lead <= 0xf4) {
        need = 3;
        if (lead === 0xf0) low = 0x90;
        if (lead === 0xf4) high = 0x8f;
      }
      let code = need === 1 ? lead & 31 : need === 2 ? lead & 15 : lead & 7;
      let good = need > 0;
      for (let k = 0; good && k < need; k++) {
        const byte = i < length ? bytes[i] : -1;
        if (byte < low || byte > high) good = false;
        else {
          code = (code << 6) | (byte & 63);
          i++;
        }
        low = 0x80;
        high = 0xbf;
      }
      if (!good) {
        if (fatal) throw new p.TypeError("the bytes are not valid UTF-8");
        out += "\ufffd";
      } else if (code < 0x10000) out += p.fromCode(code);
      else {
        code -= 0x10000;
        out += p.fromCode(0xd800 + (code >> 10)) + p.fromCode(0xdc00 + (code & 1023));
      }
    }
    return out;
  };

  const decodeUtf16 = (bytes, fatal) => {
    let out = "";
    for (let i = 0; i + 1 < bytes.length; i += 2) out += p.fromCode(bytes[i] | (bytes[i + 1] << 8));
    if (bytes.length % 2 === 1) {
      if (fatal) throw new p.TypeError("the bytes are not valid UTF-16");
      out += "\ufffd";
    }
    return out;
  };

  const decodeLatin1 = (bytes) => {
    let out = "";
    for (let i = 0; i < bytes.length; i++) out += p.fromCode(bytes[i]);
    return out;
  };

  const LABELS = {
    __proto__: null,
    "utf-8": "utf-8",
    utf8: "utf-8",
    "unicode-1-1-utf-8": "utf-8",
    "utf-16": "utf-16le",
    "utf-16le": "utf-16le",
    "iso-8859-1": "windows-1252",
    latin1: "windows-1252",
    ascii: "windows-1252",
    "us-ascii": "windows-1252",
    "windows-1252": "windows-1252",
  };

  const bytesOf = (input) => {
    if (input === undefined) return new Uint8Array(0);
    if (p.isView(input)) return new Uint8Array(input.buffer, input.byteOffset, input.byteLength);
    return new Uint8Array(input);
  };

  class TextEncoder {
    get encoding() {
      return "utf-8";
    }
    encode(string = "") {
      return encode("" + string);
    }
    encodeInto(string, target) {
      let read = 0;
      let written = 0;
      while (read < string.length) {
        const code = codeAt(string, read);
        const next = read + 1 < string.length ? codeAt(string, read + 1) : 0;
        const pair = code >= 0xd800 && code < 0xdc00 && next >= 0xdc00 && next < 0xe000;
        const bytes = encode(p.slice(string, read, read + (pair ? 2 : 1)));
        if (written + bytes.length > target.length) break;
        for (let i = 0; i < bytes.length; i++) target[written++] = bytes[i];
        read += pair ? 2 : 1;
      }
      return { read, written };
    }
  }

  class TextDecoder {
    #encoding;
    #fatal;
    #keepMark;
    constructor(label = "utf-8", options = {}) {
      const encoding = LABELS[p.lower(p.trim("" + label))];
      if (encoding === undefined) throw new p.RangeError("unknown encoding: " + label);
      this.#encoding = encoding;
      this.#fatal = !!options.fatal;
      this.#keepMark = !!options.ignoreBOM;
    }
    get encoding() {
      return this.#encoding;
    }
    get fatal() {
      return this.#fatal;
    }
    get ignoreBOM() {
      return this.#keepMark;
    }
    decode(input) {
      const bytes = bytesOf(input);
      let out;
      if (this.#encoding === "utf-8") out = decodeUtf8(bytes, this.#fatal);
      else if (this.#encoding === "utf-16le") out = decodeUtf16(bytes, this.#fatal);
      else return p.join([decodeLatin1(bytes)], "");
      if (!this.#keepMark && out[0] === "\ufeff") out = p.slice(out, 1);
      return p.join([out], "");
    }
  }

  return { __proto__: null, TextEncoder, TextDecoder, encode, decodeUtf8 };
});
