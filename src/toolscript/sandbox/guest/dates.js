// Dates as English writes them: what `toLocaleDateString` and `Intl.DateTimeFormat` give elsewhere.
// Orders of parts that are not written here are refused.
(function dates(p, kit) {
  const { option, language, only } = kit.need("locale");
  const MONTHS = p.split(
    "January February March April May June July August September October November December",
    " ",
  );
  const DAYS = p.split("Sunday Monday Tuesday Wednesday Thursday Friday Saturday", " ");
  const DAY_MS = 86400000;
  // Canada and Sweden write dates as ISO 8601 does, which is what they are asked for.
  const KNOWN = "en-US en en-GB en-CA sv-SE";
  const NUMERIC = "numeric 2-digit";
  const TEXT = "long short narrow";
  const STYLES = "full long medium short";
  const PARTS = {
    __proto__: null,
    weekday: TEXT,
    year: NUMERIC,
    month: NUMERIC + " " + TEXT,
    day: NUMERIC,
    hour: NUMERIC,
    minute: NUMERIC,
    second: NUMERIC,
    fractionalSecondDigits: "1 2 3",
  };

  // Minutes east of UTC; undefined is where the script runs.
  const zoneOf = (given) => {
    if (given === undefined) return undefined;
    const name = "" + given;
    if (p.match(/^(?:Etc\/)?(?:UTC|GMT)$/i, name) !== null) return 0;
    const found = p.match(/^([+-])([01]\d|2[0-3]):?([0-5]\d)$/, name);
    if (found !== null) return (found[1] === "-" ? -1 : 1) * (+found[2] * 60 + +found[3]);
    throw new p.RangeError(
      "only the time zone UTC and offsets such as '+02:00' are known here, not '" +
        p.slice(name, 0, 40) +
        "': add the offset yourself",
    );
  };

  const styled = (parts, dateStyle, timeStyle, american) => {
    if (dateStyle !== undefined) {
      parts.year = dateStyle === "short" && american ? "2-digit" : "numeric";
      parts.month = { __proto__: null, short: "numeric", medium: "short" }[dateStyle] ?? "long";
      parts.day = "numeric";
      if (dateStyle === "full") parts.weekday = "long";
    }
    if (timeStyle !== undefined) {
      parts.hour = parts.minute = "numeric";
      if (timeStyle !== "short") parts.second = "numeric";
      if (timeStyle === "full" || timeStyle === "long") parts.zone = true;
    }
  };

  // `needs` and `lacks` say which parts an empty wish stands for: "date", "time" or both.
  const resolve = (locales, options, needs, lacks) => {
    const locale = language(locales, KNOWN);
    const american = locale === "en-US" || locale === "en";
    options = options === undefined ? { __proto__: null } : p.Object(options);
    const parts = { __proto__: null };
    const names = p.keys(PARTS);
    for (let i = 0; i < names.length; i++) {
      parts[names[i]] = option(options, names[i], undefined, PARTS[names[i]]);
    }
    const dateStyle = option(options, "dateStyle", undefined, STYLES);
    const timeStyle = option(options, "timeStyle", undefined, STYLES);
    only(options.calendar, "gregory", "calendar");
    only(options.numberingSystem, "latn", "numberingSystem");
    only(options.timeZoneName, "short", "timeZoneName");
    only(options.dayPeriod, "", "dayPeriod");
    only(options.era, "", "era");
    parts.zone = options.timeZoneName !== undefined;
    const { weekday, year, month, day, hour, minute, second } = parts;
    const hasDate = (weekday ?? year ?? month ?? day) !== undefined;
    const hasTime = (hour ?? minute ?? second ?? parts.fractionalSecondDigits) !== undefined;
    const style = dateStyle ?? timeStyle;
    if (style !== undefined) {
      if (hasDate || hasTime)
        throw new p.TypeError("dateStyle and timeStyle go with no other part");
      if ((needs === "date" && timeStyle) || (needs === "time" && dateStyle)) {
        throw new p.TypeError("write toLocaleString for a dateStyle and a timeStyle");
      }
      styled(parts, dateStyle, timeStyle, american);
    } else if (!(needs !== "time" && hasDate) && !(needs !== "date" && hasTime)) {
      if (lacks !== "time") parts.year = parts.month = parts.day = "numeric";
      if (lacks !== "date") parts.hour = parts.minute = parts.second = "numeric";
    }
    const cycle = option(options, "hourCycle", american ? "h12" : "h23", "h12 h23");
    const twelve = options.hour12 === undefined ? cycle === "h12" : !!options.hour12;
    if (!american && (options.hour12 ?? options.hourCycle) !== undefined) {
      only(twelve ? "h12" : "h23", "h23", "hours of " + locale);
    }
    return {
      __proto__: null,
      locale,
      parts,
      twelve,
      // A British hour has two digits, unless the minutes are asked to.
      bare: !american && hour === "numeric" && minute === "2-digit" && second !== "numeric",
      long:
        dateStyle === undefined
          ? parts.month === "long"
          : dateStyle === "full" || dateStyle === "long",
      offset: zoneOf(options.timeZone),
    };
  };

  // Year, month, day of a count of days since 1970, by the calendar of 400 years that begin in March.
  const dayOf = (days) => {
    const moved = days + 719468;
    const era = p.floor(moved / 146097);
    const rest = moved - era * 146097;
    const years = p.floor(
      (rest - p.floor(rest / 1460) + p.floor(rest / 36524) - p.floor(rest / 146096)) / 365,
    );
    const inYear = rest - (365 * years + p.floor(years / 4) - p.floor(years / 100));
    const month = p.floor((5 * inYear + 2) / 153);
    const day = inYear - p.floor((153 * month + 2) / 5) + 1;
    const late = month >= 10;
    return {
      __proto__: null,
      year: years + era * 400 + (late ? 1 : 0),
      month: late ? month - 10 : month + 2,
      day,
      weekday: (((days + 4) % 7) + 7) % 7,
    };
  };

  const pad = (number, length) => {
    const text = "" + number;
    return p.repeat("0", p.max(0, length - text.length)) + text;
  };
  const number = (value, kind) => (kind === "2-digit" ? pad(value % 100, 2) : "" + value);
  const word = (names, index, kind) =>
    kind === "long" ? names[index] : p.slice(names[index], 0, kind === "narrow" ? 1 : 3);
  const joined = (texts, between) =>
    p.join(
      p.filter(texts, (text) => text !== ""),
      between,
    );

  const refuse = () => {
    throw new p.RangeError(
      "this choice of date parts cannot be written here: put it together by hand, from getUTCFullYear() and the like",
    );
  };

  // 2024-09-05
  const isoDate = ({ weekday, year, month, day }, at) => {
    const spelled = month !== "numeric" && month !== "2-digit";
    if (weekday !== undefined || year !== "numeric" || spelled || day !== month) refuse();
    return number(at.year) + "-" + pad(at.month + 1, 2) + "-" + pad(at.day, 2);
  };

  const dateText = ({ locale, parts }, at) => {
    const { weekday, year, month, day } = parts;
    if ((weekday ?? year ?? month ?? day) === undefined) return "";
    if (at.year < 1) refuse();
    if (locale === "en-CA" || locale === "sv-SE") return isoDate(parts, at);
    const british = locale === "en-GB";
    const w = weekday === undefined ? "" : word(DAYS, at.weekday, weekday);
    const y = year === undefined ? "" : number(at.year, year);
    let d = day === undefined ? "" : number(at.day, day);
    if (w !== "" && d === "" && (month ?? year) !== undefined) refuse();
    if (month === undefined) {
      if (y !== "" && d !== "") refuse();
      return joined(british ? [w, d, y] : [d, w, y], " ");
    }
    if (month === "numeric" || month === "2-digit") {
      if (british && (w !== "" || year !== "numeric" || day !== month)) refuse();
      const m = number(at.month + 1, british ? "2-digit" : month);
      if (british) d = pad(d, 2);
      return joined([w, joined(british ? [d, m, y] : [m, d, y], "/")], ", ");
    }
    const m =
      british && month === "short" && at.month === 8 ? "Sept" : word(MONTHS, at.month, month);
    if (british) return joined([w, joined([d, m, y], " ")], y === "" ? " " : ", ");
    return joined([w, joined([joined([m, d], " "), y], d === "" ? " " : ", ")], ", ");
  };

  const timeText = ({ parts, twelve, bare }, minutes, ms) => {
    const { hour, minute, second, fractionalSecondDigits: fraction } = parts;
    const hours = p.floor(minutes / 60);
    let text = "";
    if (hour !== undefined) {
      const shown = twelve ? (hours % 12 === 0 ? 12 : hours % 12) : hours;
      text = pad(shown, hour === "2-digit" || !(twelve || bare) ? 2 : 1);
    }
    if (minute !== undefined) {
      text +=
        text === ""
          ? second === undefined
            ? "" + (minutes % 60)
            : pad(minutes % 60, 2)
          : ":" + pad(minutes % 60, 2);
    }
    const tail = fraction === undefined ? "" : "." + p.slice(pad(ms % 1000, 3), 0, +fraction);
    if (second !== undefined) {
      const seconds = p.floor(ms / 1000);
      if (hour !== undefined && minute === undefined) refuse();
      text += (text === "" ? "" + seconds : ":" + pad(seconds, 2)) + tail;
    } else if (tail !== "") refuse();
    return text + (hour !== undefined && twelve ? (hours < 12 ? " AM" : " PM") : "");
  };

  const write = (time, format) => {
    if (time - time !== 0) return "Invalid Date";
    const { locale, parts } = format;
    const east = format.offset ?? -kit.language.dateOffset(new p.Date(time));
    const local = time + east * 60000;
    const days = p.floor(local / DAY_MS);
    const inDay = local - days * DAY_MS;
    const minutes = p.floor(inDay / 60000);
    const date = dateText(format, dayOf(days));
    const clock = timeText(format, minutes, p.floor(inDay - minutes * 60000));
    if (locale === "en-CA" && clock !== "") refuse();
    if (parts.zone && (east !== 0 || clock === "")) refuse();
    const zone = parts.zone ? " UTC" : "";
    if (date === "" || clock === "") return date + clock + zone;
    if ((parts.month ?? parts.year) === undefined) refuse();
    const between = locale === "sv-SE" ? " " : format.long ? " at " : ", ";
    return date + between + clock + zone;
  };

  const method = (needs, lacks) => (self, args) => {
    const time = p.dateTime(self);
    return write(time, resolve(args[0], args[1], needs, lacks));
  };

  return {
    __proto__: null,
    resolve,
    write,
    both: method("any", "all"),
    date: method("date", "date"),
    time: method("time", "time"),
  };
});
