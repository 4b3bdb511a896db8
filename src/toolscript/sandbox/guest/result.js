// The end of a script that returned something out of the ordinary: promises inside of it are settled
// first, and what has no JSON form is refused.
(function result(p, kit) {
  const bridge = kit.need("bridge");
  const values = kit.need("values");

  const invalid = (error) => {
    const record = { __proto__: null, outcome: "invalid_output" };
    if (p.hasInstance(values.Refusal, error)) {
      record.message = error.path + ": " + error.message;
      return record;
    }
    const told = kit.need("errors").describe(error, values.write);
    if (told.memory === true) return { ...told, outcome: "memory" };
    record.message = "$: reading the returned value threw " + told.name + ": " + told.message;
    return record;
  };

  // `guessed`: nothing was returned, and the value of the last variable stands in.
  return async (value, guessed) => {
    if (guessed) value = kit.last.value;
    const settled = new p.WeakMap();
    let json;
    for (;;) {
      const waiting = p.list();
      const look = (found) => {
        if (!p.hasInstance(p.Promise, found)) return found;
        const done = p.weakGet(settled, found);
        if (done !== undefined) return done.value;
        waiting[waiting.length] = found;
        return null;
      };
      try {
        json = values.write(value, look);
      } catch (error) {
        if (!guessed) {
          bridge.end(invalid(error), "");
          return;
        }
        json = "";
      }
      if (waiting.length === 0) break;
      for (let i = 0; i < waiting.length; i++) {
        try {
          p.weakSet(settled, waiting[i], { value: await bridge.own(waiting[i]) });
        } catch (thrown) {
          kit.threw(thrown);
          return;
        }
      }
    }
    const text = kit.faces === null ? undefined : kit.need("output").faceText(value);
    bridge.end({ __proto__: null, outcome: "returned", text }, json ?? "");
  };
});
