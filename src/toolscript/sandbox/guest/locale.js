// Which languages are known, and how options are read: shared by what writes numbers and dates.
(function locale(p) {
  const has = (list, wanted) => {
    for (let i = 0; i < list.length; i++) if (list[i] === wanted) return true;
    return false;
  };

  // The language that is asked for, by its tag; the first that is known of several.
  const language = (locales, tags) => {
    const known = p.split(tags, " ");
    const wanted = p.isArray(locales) ? locales : [locales];
    for (let i = 0; i < wanted.length; i++) {
      if (wanted[i] === undefined || wanted[i] === "default") return "en-US";
      const tag = "" + wanted[i];
      if (has(known, tag)) return tag;
    }
    if (wanted.length === 0) return "en-US";
    const shown = p.slice("" + wanted[0], 0, 40);
    throw new p.RangeError(
      shown +
        " is not known here, only " +
        p.join(known, ", ") +
        ": write 'en-US', or put the text together by hand",
    );
  };

  // An option that is one of a few words.
  const option = (options, name, otherwise, allowed) => {
    const given = options[name];
    if (given === undefined) return otherwise;
    if (has(p.split(allowed, " "), "" + given)) return "" + given;
    throw new p.RangeError(
      name +
        ": '" +
        p.slice("" + given, 0, 40) +
        "' is not known here; there are: " +
        p.join(p.split(allowed, " "), ", "),
    );
  };

  const only = (given, allowed, what) => {
    if (given === undefined || has(p.split(allowed, " "), "" + given)) return;
    throw new p.RangeError(
      what +
        " can be written only as in " +
        p.join(p.split(allowed, " "), ", ") +
        " here, not '" +
        p.slice("" + given, 0, 40) +
        "'",
    );
  };

  return { __proto__: null, language, option, only };
});
