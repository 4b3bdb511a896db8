// What a script is told that reads a member which does not exist: the nearest names, or advice.
(function unknown(p, kit) {
  const errors = kit.need("errors");

  // How far two names are apart: 0 is equal but for case and separators.
  const distance = (a, b) => {
    const fold = (text) => {
      let out = "";
      const low = p.lower(p.slice(text, 0, 64));
      for (let i = 0; i < low.length; i++) if (low[i] !== "_" && low[i] !== "-") out += low[i];
      return out;
    };
    const left = fold(a);
    const right = fold(b);
    let row = { __proto__: null };
    for (let j = 0; j <= right.length; j++) row[j] = j;
    for (let i = 1; i <= left.length; i++) {
      const next = { __proto__: null, 0: i };
      for (let j = 1; j <= right.length; j++) {
        const swap = row[j - 1] + (left[i - 1] === right[j - 1] ? 0 : 1);
        const shift = (row[j] < next[j - 1] ? row[j] : next[j - 1]) + 1;
        next[j] = swap < shift ? swap : shift;
      }
      row = next;
    }
    const apart = row[right.length];
    const inside = left.length > 2 && (p.indexOf(right, left) >= 0 || p.indexOf(left, right) >= 0);
    return inside && apart > 2 ? 2 : apart;
  };

  const nearest = (name, known) => {
    const most = name.length < 4 ? 1 : name.length < 8 ? 2 : 3;
    const found = { __proto__: null };
    let count = 0;
    for (let far = 0; far <= most && count < 3; far++) {
      for (let i = 0; i < known.length && count < 3; i++) {
        if (distance(name, known[i]) === far) found[count++] = known[i];
      }
    }
    let text = "";
    for (let i = 0; i < count; i++) text += (i > 0 ? ", " : "") + found[i];
    return text;
  };

  return (group, kind, names, name) => {
    const shown = name.length > 80 ? p.slice(name, 0, 80) + "…" : name;
    const hint = p.hasOwn(kit.surface.hints, name) ? kit.surface.hints[name] : undefined;
    let message;
    if (hint !== undefined) message = group.name + "." + shown + ": " + hint;
    else {
      message = group.name + "." + shown + " does not exist.";
      const near = nearest(name, names);
      if (near !== "") message += " Did you mean " + near + "?";
      else if (names.length === 0) message += " There are no tools.";
      else {
        let some = "";
        for (let i = 0; i < names.length && i < 12; i++) some += (i > 0 ? ", " : "") + names[i];
        message += " There are: " + some + (names.length > 12 ? ", …" : "") + ".";
      }
    }
    const error = { __proto__: null, tool: name, code: "unknown_tool", message };
    return errors.toolError(kind, error, errors.here());
  };
});
