// The order of texts as a dictionary has it: letters before their case, and accents in between.
// Punctuation, digits and Latin letters are in the order of Unicode's collation; other writing
// systems follow in the order of their code points.
(function collation(p, kit) {
  const { option, language, only } = kit.need("locale");
  // These have no order of their own.
  const KNOWN =
    "en-US en en-GB en-CA en-AU en-NZ en-IE de de-DE de-AT de-CH fr fr-FR it it-IT nl nl-NL pt pt-PT pt-BR und";
  const ORDER =
    "\t\n\u000b\f\r _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$0123456789abcdefghijklmnopqrstuvwxyz";
  // The keys of texts are kept, for as many characters as this.
  const MOST_KEPT = 2000000;
  const ENTRY = 40;

  // By ASCII code: what stands for a character where texts are compared. A letter stands for both
  // of its cases. Signs beyond ASCII stand between "$" and "0".
  const weights = p.list();
  const FIRST = 2;
  const SIGNS = FIRST + p.indexOf(ORDER, "0");
  for (let code = 0; code < 128; code++) {
    const at = p.indexOf(ORDER, p.lower(p.fromCode(code)));
    weights[code] = p.fromCode(FIRST + at + (FIRST + at >= SIGNS ? 1 : 0));
  }
  const sign = p.fromCode(SIGNS);
  const zero = weights[48];

  const weigh = (code) => {
    if (code < 128) return weights[code];
    if (code < 0xc0 || (code >= 0x2000 && code < 0x2c00)) return sign + p.fromCode(code);
    return p.fromCode(code);
  };

  const resolve = (locales, options) => {
    language(locales, KNOWN);
    options = options === undefined ? { __proto__: null } : p.Object(options);
    const sensitivity = option(options, "sensitivity", "variant", "base accent case variant");
    only(options.caseFirst, "false", "caseFirst");
    only(options.ignorePunctuation, "false", "ignorePunctuation");
    return {
      __proto__: null,
      accents: sensitivity === "accent" || sensitivity === "variant",
      cases: sensitivity === "case" || sensitivity === "variant",
      numeric: !!options.numeric,
      keys: new p.Map(),
      kept: 0,
    };
  };

  // A text whose order among such texts is that of their code units: first what is written, then
  // its accents, then its cases. Where there are no accents, or no capital letters, these are left out.
  const makeKey = (given, { accents, cases, numeric }) => {
    const ascii = p.match(/[^\x00-\x7f]/, given) === null;
    const text = ascii ? given : kit.language.normalize(given, "NFD");
    const lower = p.lower(text);
    const sized = cases && lower !== text;
    let written = "";
    let marks = "";
    let sizes = "";
    for (let i = 0; i < lower.length; i++) {
      const code = p.codeAt(lower, i);
      if (numeric && code >= 48 && code <= 57) {
        const digits = p.match(/^0*(\d*)/, p.slice(lower, i));
        written += zero + p.fromCode(FIRST + digits[1].length) + digits[1];
        i += digits[0].length - 1;
      } else if (ascii) written += weights[code];
      else if (code >= 0x300 && code < 0x370) {
        marks += lower[i];
        continue;
      } else written += weigh(code);
      if (!ascii) marks += "\u0001";
      if (sized) sizes += lower[i] === text[i] ? "\u0001" : "\u0002";
    }
    if (!accents || p.match(/[^\x01]/, marks) === null) marks = "";
    return written + "\u0000" + marks + "\u0000" + sizes;
  };

  const keyOf = (text, format) => {
    let key = p.mapGet(format.keys, text);
    if (key !== undefined) return key;
    key = makeKey(text, format);
    format.kept += text.length + ENTRY;
    if (format.kept > MOST_KEPT) {
      format.keys = new p.Map();
      format.kept = 0;
    }
    p.mapSet(format.keys, text, key);
    return key;
  };

  const compare = (left, right, format) => {
    if (left === right) return 0;
    const a = keyOf(left, format);
    const b = keyOf(right, format);
    return a < b ? -1 : a > b ? 1 : 0;
  };

  const usual = resolve(undefined, undefined);

  return {
    __proto__: null,
    resolve,
    compare,
    text: (self, args) => {
      if (self === undefined || self === null) throw new p.TypeError("localeCompare is of strings");
      const plain = args[1] === undefined && args[2] === undefined;
      return compare("" + self, "" + args[0], plain ? usual : resolve(args[1], args[2]));
    },
  };
});
