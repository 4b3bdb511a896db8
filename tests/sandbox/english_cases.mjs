// Writes english_cases.json: what an engine with all of ICU (Node.js 20) writes. Each row is an
// expression and its text. Run it again only to change the choice of expressions.
import { writeFileSync } from "node:fs";

let state = 7;
const random = () => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return state / 4294967296;
};
const pick = (list) => list[Math.floor(random() * list.length)];
const maybe = (target, name, list, chance = 0.3) => {
  if (random() < chance) target[name] = pick(list);
};
const NUMBERS = "0 1 999.995 0.5 1.5 2.5 1.005 999999 999500 1e21 1.5e300 5e-324 NaN Infinity";
const MONEY = "USD EUR GBP JPY CHF CAD INR CNY KRW BRL KWD SEK MXN PHP AUD HKD TWD ILS";
const DIGITS = [0, 1, 2, 3, 5];
const WIDTHS = ["numeric", "2-digit"];

const number = () => {
  const value = pick([
    () => `${random()}e${Math.floor(random() * 18)}`,
    () => `${Math.floor(random() * 1e6) / 100}`,
    () => `${Math.floor(random() * 2000) / 8}`,
    () => `${random()}e-${Math.floor(random() * 9)}`,
    () => pick(NUMBERS.split(" ")),
  ])();
  return random() < 0.2 ? `(-${value})` : `(${value})`;
};

const numberOptions = () => {
  const options = {};
  maybe(options, "style", ["decimal", "currency", "percent"], 0.7);
  if (options.style === "currency") {
    options.currency = pick(MONEY.split(" "));
    maybe(options, "currencyDisplay", ["symbol", "code"]);
    maybe(options, "currencySign", ["accounting"], 0.2);
  }
  maybe(options, "minimumFractionDigits", DIGITS);
  maybe(options, "maximumFractionDigits", DIGITS);
  maybe(options, "minimumSignificantDigits", [1, 2, 4], 0.08);
  maybe(options, "maximumSignificantDigits", DIGITS, 0.1);
  maybe(options, "minimumIntegerDigits", [1, 2, 5], 0.1);
  maybe(options, "useGrouping", [true, false, "min2"], 0.2);
  if (options.currencySign === undefined) maybe(options, "notation", ["compact"], 0.2);
  maybe(options, "compactDisplay", ["short", "long"], 0.2);
  maybe(options, "signDisplay", ["always", "never", "exceptZero", "negative"], 0.2);
  return options;
};

const dateOptions = () => {
  const options = {};
  maybe(options, "year", WIDTHS, 0.6);
  maybe(options, "month", [...WIDTHS, "long", "short"], 0.7);
  maybe(options, "day", WIDTHS, 0.7);
  if (options.month && options.day) maybe(options, "weekday", ["long", "short"]);
  if (random() < 0.3) {
    maybe(options, "hour", WIDTHS, 0.9);
    if (options.hour) maybe(options, "minute", WIDTHS, 0.8);
    if (options.minute) maybe(options, "second", WIDTHS, 0.4);
  }
  maybe(options, "hourCycle", ["h12", "h23"], 0.1);
  return options;
};

const styles = () => {
  const options = {};
  maybe(options, "dateStyle", ["full", "long", "medium", "short"], 0.6);
  maybe(options, "timeStyle", ["short", "medium", "long"], 0.6);
  return options;
};

const word = () => {
  const length = Math.floor(random() * 6);
  return Array.from({ length }, () => pick([..."aAbBzZ eéEÉ_-.10293'çñüÜ,"])).join("");
};

const text = (value) => JSON.stringify(value);
const makers = {
  number: () =>
    `${number()}.toLocaleString(${pick(['"en-US"', "undefined"])}, ${text(numberOptions())})`,
  date: () => {
    const options = text({ ...pick([dateOptions, dateOptions, styles])(), timeZone: "UTC" });
    const time = Math.floor((random() - 0.2) * 4e12);
    return `new Date(${time}).toLocaleString("en-US", ${options})`;
  },
  order: () => {
    const options = {};
    maybe(options, "numeric", [true]);
    maybe(options, "sensitivity", ["base", "accent", "case", "variant"]);
    const first = word();
    const second = pick([word, () => first.toUpperCase(), () => first.replaceAll("é", "e")])();
    return `${text(first)}.localeCompare(${text(second)}, "en", ${text(options)})`;
  },
};

const rows = [];
for (const make of Object.values(makers)) {
  for (let i = 0; i < 200; i++) {
    const expression = make();
    try {
      rows.push([expression, String(eval(expression)).replaceAll("\u202f", " ")]);
    } catch {
      rows.push([expression, null]);
    }
  }
}
const json = rows.map((row) => JSON.stringify(row)).join(",\n");
writeFileSync(new URL("english_cases.json", import.meta.url), `[\n${json}\n]\n`);
