// `Intl` for English: numbers, dates, order, plurals and lists.
(function intl(p, kit) {
  const { language, option } = kit.need("locale");
  const { hide } = kit.need("errors");
  const from = (part) => kit.need(part);
  const ENGLISH = "en-US en en-GB en-CA en-AU en-NZ en-IE";
  const object = (options) => (options === undefined ? { __proto__: null } : p.Object(options));

  const timeOf = (date) => {
    const time = date === undefined ? p.dateTime(new globalThis.Date()) : +date;
    if (time - time !== 0) throw new p.RangeError("the date to be written is not valid");
    return time;
  };

  const pluralOf = (value, ordinal) => {
    const number = p.max(+value, -value);
    if (!ordinal) return number === 1 ? "one" : "other";
    const tens = number % 100;
    const ones = number % 10;
    if (ones === 1 && tens !== 11) return "one";
    if (ones === 2 && tens !== 12) return "two";
    return ones === 3 && tens !== 13 ? "few" : "other";
  };

  const listText = (items, { type, style }) => {
    const texts = p.list();
    for (const item of items) {
      if (typeof item !== "string") throw new p.TypeError("a list is written of strings");
      texts[texts.length] = item;
    }
    const { length } = texts;
    const word =
      type === "disjunction" ? "or" : style === "long" ? "and" : style === "short" ? "&" : "";
    const between = type === "unit" && style === "narrow" ? " " : ", ";
    const last = type === "unit" || word === "" ? between : " " + word + " ";
    let text = "";
    for (let i = 0; i < length; i++) {
      if (i > 0)
        text +=
          i < length - 1
            ? between
            : length > 2 && p.trim(last) !== "," && last !== " "
              ? "," + last
              : last;
      text += texts[i];
    }
    return text;
  };

  // A class of `Intl`: `make` gives what is shown of its options, and its methods.
  const classOf = (name, make) => {
    const kept = new p.WeakMap();
    const made = {
      [name]: function (locales, options) {
        const self = new.target === undefined ? p.create(prototype) : this;
        p.weakSet(kept, self, make(locales, options));
        return self;
      },
    }[name];
    const { prototype } = made;
    const inner = (self) => {
      const found = p.weakGet(kept, self);
      if (found === undefined) throw new p.TypeError("this is no Intl." + name);
      return found;
    };
    hide(prototype, "resolvedOptions", function resolvedOptions() {
      return { ...inner(this).shown };
    });
    hide(made, "supportedLocalesOf", (locales) => {
      const wanted = p.isArray(locales) ? locales : [locales];
      return p.filter(wanted, (tag) => p.indexOf(" " + ENGLISH + " ", " " + tag + " ") >= 0);
    });
    return { __proto__: null, made, inner };
  };

  // `format` and `compare` are functions of their own, so that they can be passed on.
  const bound = ({ made, inner }, name) => {
    p.defineProperty(made.prototype, name, {
      __proto__: null,
      get() {
        return inner(this).act;
      },
      enumerable: false,
      configurable: true,
    });
    return made;
  };
  const method = ({ made, inner }, name) => {
    hide(made.prototype, name, function (value) {
      return inner(this).act(value);
    });
    return made;
  };

  const NumberFormat = classOf("NumberFormat", (locales, options) => {
    const format = from("numbers").resolve(locales, options);
    const { locale, style, code: currency, digits } = format;
    return {
      __proto__: null,
      act: (value) => from("numbers").write(value, format),
      shown: {
        locale,
        style,
        currency,
        minimumFractionDigits: digits.least,
        maximumFractionDigits: digits.most,
      },
    };
  });

  const DateTimeFormat = classOf("DateTimeFormat", (locales, options) => {
    const format = from("dates").resolve(locales, options, "any", "date");
    const timeZone = object(options).timeZone ?? "UTC";
    return {
      __proto__: null,
      act: (date) => from("dates").write(timeOf(date), format),
      shown: { locale: format.locale, calendar: "gregory", timeZone },
    };
  });

  const Collator = classOf("Collator", (locales, options) => {
    const format = from("collation").resolve(locales, options);
    const { numeric } = format;
    return {
      __proto__: null,
      act: (left, right) => from("collation").compare("" + left, "" + right, format),
      shown: { locale: "en-US", numeric },
    };
  });

  const PluralRules = classOf("PluralRules", (locales, options) => {
    const locale = language(locales, ENGLISH);
    const type = option(object(options), "type", "cardinal", "cardinal ordinal");
    return {
      __proto__: null,
      act: (value) => pluralOf(value, type === "ordinal"),
      shown: { locale, type },
    };
  });

  const ListFormat = classOf("ListFormat", (locales, options) => {
    const locale = language(locales, ENGLISH);
    const type = option(object(options), "type", "conjunction", "conjunction disjunction unit");
    const style = option(object(options), "style", "long", "long short narrow");
    const shown = { locale, type, style };
    return { __proto__: null, act: (items) => listText(items, shown), shown };
  });

  const Intl = {};
  hide(Intl, "NumberFormat", bound(NumberFormat, "format"));
  hide(Intl, "DateTimeFormat", bound(DateTimeFormat, "format"));
  hide(Intl, "Collator", bound(Collator, "compare"));
  hide(Intl, "PluralRules", method(PluralRules, "select"));
  hide(Intl, "ListFormat", method(ListFormat, "format"));
  return Intl;
});
