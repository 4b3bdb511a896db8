// What a script prints, emits, shows and stores.
(function output(p, kit) {
  const { stringify } = p;
  const bridge = kit.need("bridge");
  const values = kit.need("values");
  const errors = kit.need("errors");

  const emitItem = (head, payload) => bridge.send("o " + head + "\n" + payload + "\n");

  const print = (text, stream, console) =>
    emitItem("text " + stream + " " + console, stringify(text));

  // Text of one printed value: strings as they are, results with two faces by their text.
  const show = (value) => {
    switch (typeof value) {
      case "string":
        return value;
      case "number":
        return value === 0 && 1 / value < 0 ? "-0" : "" + value;
      case "boolean":
      case "undefined":
        return "" + value;
    }
    return value === null ? "null" : kit.need("inspect").inspect(value);
  };

  const format = (args) => {
    if (args.length === 1) return show(args[0]);
    if (typeof args[0] === "string" && p.indexOf(args[0], "%") >= 0) {
      return kit.need("inspect").format(args);
    }
    let text = "";
    for (let i = 0; i < args.length; i++) text += (i > 0 ? " " : "") + show(args[i]);
    return text;
  };

  // Everything that prints can be awaited: models do.
  const printer =
    (stream) =>
    (...args) =>
      print(args.length === 0 ? "" : format(args), stream, 1);

  const makeConsole = () => ({
    log: printer("stdout"),
    info: printer("stdout"),
    debug: printer("stdout"),
    warn: printer("stderr"),
    error: printer("stderr"),
  });

  const face = (value) =>
    kit.faces !== null && errors.isObject(value) ? p.weakGet(kit.faces, value) : undefined;

  // What printing a value shows where it is a result with two faces, or a list that has such.
  const faceText = (value) => {
    const own = face(value);
    if (own !== undefined || !p.isArray(value)) return own;
    let any = false;
    for (let i = 0; i < value.length && !any; i++) any = face(value[i]) !== undefined;
    if (!any) return undefined;
    let text = "";
    for (let i = 0; i < value.length; i++) {
      text += (i > 0 ? "\n" : "") + (face(value[i]) ?? plainText(value[i]));
    }
    return text;
  };

  const plainText = (value) => {
    if (typeof value === "string") return value;
    try {
      return values.write(value) ?? show(value);
    } catch (error) {
      if (!p.hasInstance(values.Refusal, error)) throw error;
      return show(value);
    }
  };

  const text = (value) => print(faceText(value) ?? plainText(value), "stdout", 0);

  const emit = (value) => {
    const json = kit.need("calls").write(value === undefined ? null : value, "emit()") ?? "null";
    emitItem("value stdout 0", json);
  };

  const log = (...args) => print(args.length === 0 ? "" : format(args), "stdout", 1);

  const image = (data, mimeType) => {
    const found = kit.need("image").read(data, mimeType);
    emitItem("image stdout 0", "[" + stringify(found.data) + ',"' + found.mimeType + '"]');
  };

  const progress = (...args) => {
    if (bridge.ended) return;
    let message = args[0];
    let fraction = args[1];
    if (typeof message === "number") {
      // progress(done, total, message): the order that many models write.
      fraction = args[1] > 0 ? message / args[1] : undefined;
      message = args.length > 2 ? args[2] : message + "/" + args[1];
    }
    const part = typeof fraction === "number" && fraction - fraction === 0 ? fraction : null;
    const text = stringify(p.slice(show(message), 0, 10000));
    bridge.send("p\n[" + text + "," + part + "]\n");
  };

  const warn = printer("stderr");

  // A promise that the script drops: nobody else hears what is thrown there.
  const unheard = async (promise, name, line) => {
    if (!p.hasInstance(p.Promise, promise)) return;
    try {
      await bridge.own(promise);
    } catch (error) {
      warn("Uncaught in " + name + ", which nobody awaits (line " + line + "):", error);
    }
  };

  return {
    __proto__: null,
    makeConsole,
    warn,
    unheard,
    text,
    emit,
    log,
    image,
    progress,
    show,
    faceText,
  };
});
