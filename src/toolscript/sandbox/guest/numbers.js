// Numbers as English writes them: what `toLocaleString` and `Intl.NumberFormat` give elsewhere.
// What is not written here is refused: a wrong sign or separator would go unnoticed.
(function numbers(p, kit) {
  const { option, language, only } = kit.need("locale");
  const KNOWN = "en-US en en-GB en-CA en-AU en-NZ en-IE";
  const MOST_FRACTION = 100;
  const MOST_DIGITS = 21;
  const UNITS = ["", "K", "M", "B", "T"];
  const WORDS = ["", " thousand", " million", " billion", " trillion"];
  const SIGNS = {
    __proto__: null,
    USD: "$",
    EUR: "€",
    GBP: "£",
    JPY: "¥",
    CNY: "CN¥",
    INR: "₹",
    KRW: "₩",
    CAD: "CA$",
    AUD: "A$",
    NZD: "NZ$",
    MXN: "MX$",
    BRL: "R$",
    ILS: "₪",
    VND: "₫",
    TWD: "NT$",
    HKD: "HK$",
    PHP: "₱",
    XAF: "FCFA",
    XOF: "F\u202fCFA",
  };
  const UNCUT = " BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF ";
  const FINE = " BHD IQD JOD KWD LYD OMR TND ";

  const whole = (options, name, least, most, otherwise) => {
    const given = options[name];
    if (given === undefined) return otherwise;
    const number = p.floor(+given);
    if (number >= least && number <= most) return number;
    throw new p.RangeError(name + " must be from " + least + " to " + most);
  };

  const currencyOf = (options) => {
    const given = options.currency;
    if (given === undefined) throw new p.TypeError("style: 'currency' needs a currency: 'USD'");
    const code = kit.language.upper("" + given);
    if (p.match(/^[A-Z]{3}$/, code) === null) {
      throw new p.RangeError("currency must be three letters, as in 'USD'");
    }
    return code;
  };

  // What stands before an amount of money.
  const moneyOf = (options, code) => {
    const display = option(options, "currencyDisplay", "symbol", "symbol narrowSymbol code");
    if (display === "code") return code;
    const sign = SIGNS[code] ?? code;
    if (display === "symbol" || code === "BRL") return sign;
    if (sign === code)
      throw new p.RangeError("the narrow symbol of " + code + " is not known here");
    return p.match(/[^A-Z]*$/, sign)[0] || sign;
  };

  // The digits that are shown: how many at least and at most, behind the point or in all.
  const digitsOf = (options, style, compact, code) => {
    let least = 0;
    let most = style === "decimal" ? 3 : 0;
    if (style === "currency") {
      least = most = p.indexOf(UNCUT, code) > 0 ? 0 : p.indexOf(FINE, code) > 0 ? 3 : 2;
    }
    const { minimumFractionDigits: low, maximumFractionDigits: high } = options;
    const fewest = whole(options, "minimumFractionDigits", 0, MOST_FRACTION, undefined);
    const highest = whole(options, "maximumFractionDigits", 0, MOST_FRACTION, undefined);
    if (low !== undefined && high === undefined) most = p.max(most, fewest);
    if (high !== undefined) most = highest;
    least = low === undefined ? p.min(least, most) : fewest;
    const first = whole(options, "minimumSignificantDigits", 1, MOST_DIGITS, undefined);
    const last = whole(options, "maximumSignificantDigits", first ?? 1, MOST_DIGITS, undefined);
    const given = first !== undefined || last !== undefined;
    if (least > most && !given) {
      throw new p.RangeError("maximumFractionDigits is below minimumFractionDigits");
    }
    const significant = given ? [first ?? 1, last ?? MOST_DIGITS] : null;
    const free = compact && !given && low === undefined && high === undefined;
    if (free) least = 0;
    return { __proto__: null, least, most, significant, free };
  };

  // How many digits stand before the first separator at least; 0 is without any.
  const groupingOf = (given, compact) => {
    if (given === false) return 0;
    return given === "min2" || (compact && given !== true && given !== "always") ? 2 : 1;
  };

  const resolve = (locales, options) => {
    const locale = language(locales, KNOWN);
    options = options === undefined ? { __proto__: null } : p.Object(options);
    const style = option(options, "style", "decimal", "decimal percent currency");
    const compact = option(options, "notation", "standard", "standard compact") === "compact";
    const code = style === "currency" ? currencyOf(options) : undefined;
    if (code !== undefined) only(locale, "en en-US", "money");
    if (compact) only(locale, "en en-US en-CA en-AU", "compact numbers");
    only(options.roundingMode, "halfExpand", "roundingMode");
    only(options.numberingSystem, "latn", "numberingSystem");
    const currencySign = option(options, "currencySign", "standard", "standard accounting");
    if (compact) only(currencySign, "standard", "compact numbers");
    const { useGrouping: grouping = "auto" } = options;
    return {
      __proto__: null,
      locale,
      style,
      compact,
      code,
      // Money is never followed by a word.
      words: option(options, "compactDisplay", "short", "short long") === "long" && !code,
      money: code === undefined ? "" : moneyOf(options, code),
      accounting: currencySign === "accounting",
      sign: option(options, "signDisplay", "auto", "auto always never exceptZero negative"),
      strip: option(options, "trailingZeroDisplay", "auto", "auto stripIfInteger") !== "auto",
      integers: whole(options, "minimumIntegerDigits", 1, MOST_DIGITS, 1),
      grouping: groupingOf(grouping, compact),
      digits: digitsOf(options, style, compact, code),
    };
  };

  // A number as its digits, of which `point` stand before the point: exactly what JavaScript
  // prints of it, which other engines round too.
  const takeApart = (text) => {
    const found = p.match(/^(-?)(\d*)(?:\.(\d*))?(?:e([+-]\d+))?$/, text);
    const digits = found[2] + (found[3] ?? "");
    const point = found[2].length + +(found[4] ?? 0);
    const zeros = p.match(/^0*/, digits)[0].length;
    const rest = p.match(/^(?:\d*[1-9])?/, p.slice(digits, zeros))[0];
    return {
      __proto__: null,
      minus: found[1] !== "",
      digits: rest,
      point: rest ? point - zeros : 0,
    };
  };

  // Half is rounded away from zero, `places` behind the point.
  const rounded = ({ digits, point }, places) => {
    const cut = point + places;
    if (cut >= digits.length) return { __proto__: null, digits, point };
    if (cut < 0) return { __proto__: null, digits: "", point: 0 };
    const kept = p.slice(digits, 0, cut);
    if (p.codeAt(digits, cut) < 53) return takeMore(kept, point);
    const next = p.bigText(p.BigInt("1" + kept) + p.BigInt(1));
    if (next[0] === "1") return takeMore(p.slice(next, 1), point);
    return takeMore("1" + p.slice(next, 1), point + 1);
  };
  const takeMore = (digits, point) => {
    const rest = p.match(/^(?:\d*[1-9])?/, digits)[0];
    return { __proto__: null, digits: rest, point: rest === "" ? 0 : point };
  };

  // The digits before and behind the point, as many as are wanted.
  const laidOut = (number, { least, most, significant, free }) => {
    let fewest = least;
    let places = most;
    if (free) places = number.point > 1 ? 0 : number.point === 1 ? 1 : 2 - number.point;
    if (significant !== null) places = significant[1] - (number.digits === "" ? 1 : number.point);
    const { digits, point } = rounded(number, places);
    if (significant !== null) fewest = significant[0] - (digits === "" ? 1 : point);
    const before = point <= 0 ? "" : p.slice(digits, 0, point);
    const whole = before + p.repeat("0", p.max(0, point - before.length));
    const part =
      p.repeat("0", p.max(0, -point)) +
      (point < digits.length ? p.slice(digits, p.max(0, point)) : "");
    return { __proto__: null, whole, part: part + p.repeat("0", p.max(0, fewest - part.length)) };
  };

  const grouped = (text, least) => {
    if (least === 0 || text.length < 3 + least) return text;
    let out = p.slice(text, -3);
    for (let end = text.length - 3; end > 0; end -= 3) {
      out = p.slice(text, p.max(0, end - 3), end) + "," + out;
    }
    return out;
  };

  const amount = (number, format) => {
    if (format.style === "percent" && number.digits !== "") number.point += 2;
    let step = 0;
    let shown = laidOut(number, format.digits);
    if (format.compact) {
      const scaled = (by) =>
        laidOut({ __proto__: null, ...number, point: number.point - 3 * by }, format.digits);
      step = number.digits === "" ? 0 : p.min(4, p.max(0, p.floor((number.point - 1) / 3)));
      shown = scaled(step);
      if (shown.whole.length > 3 && step < 4) shown = scaled(++step);
    }
    if (format.strip && p.match(/[1-9]/, shown.part) === null) shown.part = "";
    const zeros = p.repeat("0", p.max(0, format.integers - shown.whole.length));
    const text = grouped(zeros + shown.whole, format.grouping) + (shown.part && "." + shown.part);
    const empty = p.match(/[1-9]/, text) === null;
    return { __proto__: null, empty, text: text + (format.words ? WORDS : UNITS)[step] };
  };

  const signOf = (minus, empty, display) => {
    if (display === "never") return "";
    if (minus) return empty && display !== "auto" && display !== "always" ? "" : "-";
    return display === "always" || (display === "exceptZero" && !empty) ? "+" : "";
  };

  const write = (text, format) => {
    let minus = text[0] === "-";
    let shown = { __proto__: null, empty: false, text: "NaN" };
    if (text === "NaN") shown.empty = true;
    else if (p.indexOf(text, "Infinity") >= 0) shown.text = "∞";
    else {
      const number = takeApart(text);
      minus = number.minus;
      shown = amount(number, format);
    }
    const sign = signOf(minus, shown.empty, format.sign);
    let { money } = format;
    if (p.match(/[A-Z]$/, money) !== null && p.match(/^\d/, shown.text) !== null) money += "\u00a0";
    const all = money + shown.text + (format.style === "percent" ? "%" : "");
    return sign === "-" && format.accounting && money !== "" ? "(" + all + ")" : sign + all;
  };

  // The exact text of what is to be written; -0 has a sign of its own.
  const textOf = (value) => {
    if (typeof value === "bigint") return p.bigText(value);
    if (typeof value === "string") {
      const plain = p.trim(value);
      if (p.match(/^[+-]?\d+(?:\.\d*)?$/, plain) !== null) {
        return plain[0] === "+" ? p.slice(plain, 1) : plain;
      }
    }
    const number = +value;
    return number === 0 && 1 / number < 0 ? "-0" : "" + number;
  };

  return {
    __proto__: null,
    resolve,
    write: (value, format) => write(textOf(value), format),
    number: (self, args) => write(textOf(p.numberValue(self)), resolve(args[0], args[1])),
    bigint: (self, args) => write(p.bigText(self), resolve(args[0], args[1])),
  };
});
