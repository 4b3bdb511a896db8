// What a script is told that reads a member which does not exist: the nearest names, or advice.
(function unknown(p, kit) {
  const errors = kit.need("errors");
  const MOST_CHARS = 64;
  const MOST_SHOWN = 3;
  const MOST_LISTED = 12;
  const FAR = 9;

  // A name without case and separators.
  const fold = (text) => {
    let out = "";
    const low = p.lower(p.slice(text, 0, MOST_CHARS));
    for (let i = 0; i < low.length; i++) {
      if (low[i] !== "_" && low[i] !== "-" && low[i] !== ".") out += low[i];
    }
    return out;
  };

  // The words of a name in the order of the alphabet, each without the "s" of a plural:
  // "refund_orders" and "orderRefund" agree.
  const wordsOf = (text) => {
    const words = p.list();
    let rest = p.slice(text, 0, MOST_CHARS);
    for (;;) {
      const found = p.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/, rest);
      if (found === null) break;
      const word = p.lower(found[0]);
      const plural = word.length > 3 && word[word.length - 1] === "s";
      words[words.length] = plural ? p.slice(word, 0, -1) : word;
      rest = p.slice(rest, found.index + found[0].length);
    }
    p.sort(words);
    return p.join(words, " ");
  };

  // How many letters have to change, come, go, or pass their neighbour.
  const steps = (left, right) => {
    let row = { __proto__: null };
    let before = row;
    for (let j = 0; j <= right.length; j++) row[j] = j;
    for (let i = 1; i <= left.length; i++) {
      const next = { __proto__: null, 0: i };
      for (let j = 1; j <= right.length; j++) {
        const swap = row[j - 1] + (left[i - 1] === right[j - 1] ? 0 : 1);
        const shift = (row[j] < next[j - 1] ? row[j] : next[j - 1]) + 1;
        next[j] = swap < shift ? swap : shift;
        const crossed = left[i - 1] === right[j - 2] && left[i - 2] === right[j - 1];
        if (i > 1 && j > 1 && crossed && before[j - 2] + 1 < next[j]) next[j] = before[j - 2] + 1;
      }
      before = row;
      row = next;
    }
    return row[right.length];
  };

  // How far a name is from what was written: 0 is equal but for case and separators.
  const distance = (wanted, name) => {
    const left = fold(wanted);
    const right = fold(name);
    if (left === right) return 0;
    if (wordsOf(wanted) === wordsOf(name)) return 1;
    const short = p.min(left.length, right.length);
    const long = p.max(left.length, right.length);
    const inside = p.indexOf(right, left) >= 0 || p.indexOf(left, right) >= 0;
    const most = wanted.length < 4 ? 1 : wanted.length < 8 ? 2 : 3;
    const apart = long - short > most ? FAR : steps(left, right);
    if (inside && short > 3 && short * 3 >= long) return p.min(apart, 2);
    return apart > most ? FAR : apart;
  };

  // All that could be meant, and how it is written: members of this object by their names, those
  // of others with their object.
  const candidates = (group, names) => {
    const all = p.list();
    const add = (name, text) => {
      all[all.length] = { __proto__: null, name, text };
    };
    for (let i = 0; i < names.length; i++) add(names[i], names[i]);
    const { groups } = kit.surface;
    for (let i = 0; i < groups.length; i++) {
      const { name: owner, members } = groups[i];
      if (owner === group.name || (i === 0 && group.members === groups[0].members)) continue;
      for (let j = 0; j < members.length; j++) {
        const member = members[j].identifier;
        add(member, owner + "." + member);
        add(owner + "." + member, owner + "." + member);
      }
    }
    return all;
  };

  const nearest = (name, all) => {
    const found = p.list();
    for (let i = 0; i < all.length; i++) {
      const far = distance(name, all[i].name);
      if (far < FAR) found[found.length] = { __proto__: null, far, at: i, text: all[i].text };
    }
    p.sort(found, (one, two) => one.far - two.far || one.at - two.at);
    let text = "";
    const told = { __proto__: null };
    let count = 0;
    for (let i = 0; i < found.length && count < MOST_SHOWN; i++) {
      // A name that is nearly right leaves no doubt.
      if (found[i].far > found[0].far + 1 || told[found[i].text] === true) continue;
      told[found[i].text] = true;
      text += (count++ > 0 ? ", " : "") + found[i].text;
    }
    return text;
  };

  return (group, kind, names, name) => {
    const shown = name.length > 80 ? p.slice(name, 0, 80) + "…" : name;
    const hint = p.hasOwn(kit.surface.hints, name) ? kit.surface.hints[name] : undefined;
    let message;
    if (hint !== undefined) message = group.name + "." + shown + ": " + hint;
    else {
      message = group.name + "." + shown + " does not exist.";
      const near = nearest(name, candidates(group, names));
      if (near !== "") message += " Did you mean " + near + "?";
      else if (names.length === 0) message += " There are no tools.";
      else {
        let some = "";
        for (let i = 0; i < names.length && i < MOST_LISTED; i++) {
          some += (i > 0 ? ", " : "") + names[i];
        }
        message += " There are: " + some + (names.length > MOST_LISTED ? ", …" : "") + ".";
      }
    }
    const error = { __proto__: null, tool: name, code: "unknown_tool", message };
    return errors.toolError(kind, error, errors.here());
  };
});
