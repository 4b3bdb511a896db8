// URL (WHATWG URL). Host names are taken as they are written, lower-cased:
// there is no network here for which an international name would have to be translated.
(function url(p, kit) {
  const { percent, unpercent, URLSearchParams } = kit.need("query");
  const { slice, indexOf, lower } = p;
  const PORTS = { __proto__: null, http: 80, https: 443, ws: 80, wss: 443, ftp: 21, file: 0 };

  const without = (chars) => (char) => indexOf(chars, char) < 0;
  const inFragment = without('"<>`');
  const inQuery = without("\"#<>'");
  const inOpaqueQuery = without('"#<>');
  const inPath = without('"#<>?`{}^');
  const inUser = without('"#<>?`{}/:;=@[\\]^|');

  const invalid = (text) => {
    const shown = text.length > 80 ? slice(text, 0, 80) + "…" : text;
    return new p.TypeError("Invalid URL: " + shown);
  };

  // Path segments with `.` and `..` resolved, as "/a/b".
  const normalPath = (path, special) => {
    const parts = { __proto__: null };
    let count = 0;
    let from = 0;
    for (let i = 0; i <= path.length; i++) {
      const char = path[i];
      if (i < path.length && char !== "/" && !(special && char === "\\")) continue;
      const part = slice(path, from, i);
      const folded = lower(part);
      const last = i === path.length;
      if (folded === ".." || folded === ".%2e" || folded === "%2e." || folded === "%2e%2e") {
        if (count > 0) count--;
        if (last) parts[count++] = "";
      } else if (folded === "." || folded === "%2e") {
        if (last) parts[count++] = "";
      } else if (!(i === 0 && part === "")) parts[count++] = percent(part, inPath);
      from = i + 1;
    }
    let out = "";
    for (let i = 0; i < count; i++) out += "/" + parts[i];
    return out === "" && special ? "/" : out;
  };

  const ipv4 = (host, text) => {
    const words = p.split(host, ".");
    const last = words[words.length - 1];
    if (p.match(/^(?:\d+|0x[0-9a-f]*)$/, last) === null) return host;
    const read = (word) => {
      if (p.match(/^0x[0-9a-f]*$/, word) !== null) return word === "0x" ? 0 : +word;
      if (p.match(/^0[0-7]+$/, word) !== null) return p.parseInt(word, 8);
      return p.match(/^\d+$/, word) !== null ? +word : NaN;
    };
    if (words.length > 4) throw invalid(text);
    let number = 0;
    for (let i = 0; i < words.length; i++) {
      const value = read(words[i]);
      const most = i < words.length - 1 ? 255 : 256 ** (5 - words.length) - 1;
      if (!(value <= most)) throw invalid(text);
      number += i < words.length - 1 ? value * 256 ** (3 - i) : value;
    }
    let out = "";
    for (let i = 3; i >= 0; i--) out += (i < 3 ? "." : "") + (p.floor(number / 256 ** i) % 256);
    return out;
  };

  const readHost = (host, special, text) => {
    if (host[0] === "[") {
      if (p.match(/^\[[0-9A-Fa-f:.]+\]$/, host) === null) throw invalid(text);
      return lower(host);
    }
    if (!special) {
      if (p.match(/[\0\t\n\r #/<>?@[\\\]^|]/, host) !== null) throw invalid(text);
      return percent(host, () => true);
    }
    const plain = lower(unpercent(host));
    if (plain === "" || p.match(/[\0-\x20"#%/:<>?@[\\\]^`{|}\x7f]/, plain) !== null) {
      throw invalid(text);
    }
    return ipv4(plain, text);
  };

  const readAuthority = (record, authority, text) => {
    const special = record.scheme in PORTS;
    let rest = authority;
    let at = -1;
    for (let i = 0; i < rest.length; i++) if (rest[i] === "@") at = i;
    if (at >= 0) {
      const user = slice(rest, 0, at);
      const colon = indexOf(user, ":");
      record.username = percent(colon < 0 ? user : slice(user, 0, colon), inUser);
      record.password = colon < 0 ? "" : percent(slice(user, colon + 1), inUser);
      rest = slice(rest, at + 1);
    }
    const port = p.match(/:(\d*)$/, rest);
    if (port !== null) {
      rest = slice(rest, 0, rest.length - port[0].length);
      if (port[1] !== "") {
        if (+port[1] > 65535) throw invalid(text);
        record.port = +port[1] === PORTS[record.scheme] ? "" : "" + +port[1];
      }
    }
    if (rest === "" && record.scheme === "file") return;
    if (rest === "" && (special || at >= 0 || port !== null)) throw invalid(text);
    record.host = rest === "" ? "" : readHost(rest, special, text);
    if (record.scheme === "file" && record.host === "localhost") record.host = "";
  };

  // `text` in the light of `base`, as a record of parts.
  const parse = (given, base) => {
    const text = p.join(p.split(p.trim(given), "\n"), "");
    const record = {
      __proto__: null,
      scheme: "",
      username: "",
      password: "",
      host: null,
      port: "",
      path: "",
      opaque: false,
      query: null,
      fragment: null,
    };
    let rest = text;
    const hash = indexOf(rest, "#");
    if (hash >= 0) {
      record.fragment = percent(slice(rest, hash + 1), inFragment);
      rest = slice(rest, 0, hash);
    }
    const scheme = p.match(/^([A-Za-z][A-Za-z0-9+.-]*):/, rest);
    const relative =
      scheme === null ||
      (base !== null &&
        lower(scheme[1]) === base.scheme &&
        base.scheme in PORTS &&
        p.match(/^[^:]*:[/\\]/, rest) === null);
    if (scheme !== null) {
      record.scheme = lower(scheme[1]);
      rest = slice(rest, scheme[0].length);
    } else if (base !== null) record.scheme = base.scheme;
    else throw invalid(given);
    const special = record.scheme in PORTS;
    if (relative && base.opaque && !(rest === "" && hash >= 0)) throw invalid(given);

    let query = null;
    const mark = indexOf(rest, "?");
    if (mark >= 0) {
      query = slice(rest, mark + 1);
      rest = slice(rest, 0, mark);
    }
    const keepQuery = special ? inQuery : inOpaqueQuery;
    if (query !== null) record.query = percent(query, keepQuery);

    const slashes = special ? p.match(/^[/\\]{2,}/, rest) : p.match(/^\/\//, rest);
    const hasAuthority = slashes !== null || (special && !relative && record.scheme !== "file");
    if (hasAuthority) {
      rest = slice(
        rest,
        slashes === null
          ? p.match(/^[/\\]*/, rest)[0].length
          : special && record.scheme !== "file"
            ? slashes[0].length
            : 2,
      );
      const end = p.match(special ? /[/\\]/ : /\//, rest);
      const authority = end === null ? rest : slice(rest, 0, end.index);
      rest = end === null ? "" : slice(rest, end.index);
      record.host = "";
      readAuthority(record, authority, given);
      record.path = rest === "" && !special ? "" : normalPath(rest, special);
      return record;
    }
    if (relative) {
      record.username = base.username;
      record.password = base.password;
      record.host = base.host;
      record.port = base.port;
      record.opaque = base.opaque;
      if (rest === "") {
        record.path = base.path;
        if (query === null) record.query = base.query;
      } else if (rest[0] === "/" || (special && rest[0] === "\\")) {
        record.path = normalPath(rest, special);
      } else {
        const cut = p.match(/^.*\//, base.path);
        record.path = normalPath((cut === null ? "/" : cut[0]) + rest, special);
      }
      return record;
    }
    if (special) {
      record.host = "";
      record.path = normalPath(rest, true);
    } else if (rest[0] === "/") record.path = normalPath(rest, false);
    else {
      record.opaque = true;
      record.path = percent(rest, () => true);
    }
    return record;
  };

  const serialise = (record) => {
    let out = record.scheme + ":";
    if (record.host !== null) {
      out += "//";
      if (record.username !== "" || record.password !== "") {
        out += record.username + (record.password === "" ? "" : ":" + record.password) + "@";
      }
      out += record.host + (record.port === "" ? "" : ":" + record.port);
    }
    out += record.path;
    if (record.query !== null) out += "?" + record.query;
    if (record.fragment !== null) out += "#" + record.fragment;
    return out;
  };

  class URL {
    #record;
    #params = null;

    constructor(text, base) {
      const from = base === undefined ? null : parse("" + base, null);
      this.#record = parse("" + text, from);
    }
    static canParse(text, base) {
      return URL.parse(text, base) !== null;
    }
    static parse(text, base) {
      try {
        return new URL(text, base);
      } catch {
        return null;
      }
    }
    get href() {
      return serialise(this.#record);
    }
    set href(text) {
      this.#record = parse("" + text, null);
      this.#params = null;
    }
    get origin() {
      const { scheme, host, port } = this.#record;
      if (!(scheme in PORTS) || scheme === "file") return "null";
      return scheme + "://" + host + (port === "" ? "" : ":" + port);
    }
    get protocol() {
      return this.#record.scheme + ":";
    }
    set protocol(text) {
      const found = p.match(/^([A-Za-z][A-Za-z0-9+.-]*):?$/, "" + text);
      if (found !== null && lower(found[1]) in PORTS === this.#record.scheme in PORTS) {
        this.#record.scheme = lower(found[1]);
        if (+this.#record.port === PORTS[this.#record.scheme]) this.#record.port = "";
      }
    }
    get username() {
      return this.#record.username;
    }
    set username(text) {
      if (this.#record.host) this.#record.username = percent("" + text, inUser);
    }
    get password() {
      return this.#record.password;
    }
    set password(text) {
      if (this.#record.host) this.#record.password = percent("" + text, inUser);
    }
    get host() {
      const { host, port } = this.#record;
      return (host ?? "") + (port === "" ? "" : ":" + port);
    }
    set host(text) {
      const found = p.match(/^([^:/?#\\]*)(?::(\d+))?/, "" + text);
      if (found === null || found[1] === "" || this.#record.opaque) return;
      this.hostname = found[1];
      if (found[2] !== undefined) this.port = found[2];
    }
    get hostname() {
      return this.#record.host ?? "";
    }
    set hostname(text) {
      if (this.#record.opaque) return;
      try {
        this.#record.host = readHost("" + text, this.#record.scheme in PORTS, "" + text);
      } catch {
        return;
      }
    }
    get port() {
      return this.#record.port;
    }
    set port(text) {
      const number = "" + text === "" ? "" : p.parseInt("" + text, 10);
      if (number === "" || number === PORTS[this.#record.scheme]) this.#record.port = "";
      else if (number >= 0 && number < 65536) this.#record.port = "" + number;
    }
    get pathname() {
      return this.#record.path;
    }
    set pathname(text) {
      if (this.#record.opaque) return;
      const path = "" + text;
      this.#record.path = normalPath(
        path[0] === "/" ? path : "/" + path,
        this.#record.scheme in PORTS,
      );
    }
    get search() {
      const { query } = this.#record;
      return query === null || query === "" ? "" : "?" + query;
    }
    set search(text) {
      const query = "" + text;
      const bare = query[0] === "?" ? slice(query, 1) : query;
      this.#record.query =
        bare === "" ? null : percent(bare, this.#record.scheme in PORTS ? inQuery : inOpaqueQuery);
      this.#params = null;
    }
    get hash() {
      const { fragment } = this.#record;
      return fragment === null || fragment === "" ? "" : "#" + fragment;
    }
    set hash(text) {
      const fragment = "" + text;
      const bare = fragment[0] === "#" ? slice(fragment, 1) : fragment;
      this.#record.fragment = bare === "" ? null : percent(bare, inFragment);
    }
    get searchParams() {
      if (this.#params === null) {
        const changed = (query) => {
          this.#record.query = query === "" ? null : query;
        };
        kit.owner = changed;
        this.#params = new URLSearchParams(this.#record.query ?? "", changed);
        kit.owner = null;
      }
      return this.#params;
    }
    toString() {
      return this.href;
    }
    toJSON() {
      return this.href;
    }
  }

  return URL;
});
