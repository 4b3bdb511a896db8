// The bridge: calls and output queue up as lines of text that the worker fetches; settlements come
// in one at a time. JSON text never holds a line break, so a line is a field.
//
//   c SEQ INDEX LINE ↵ ARGS           a tool, by the host's index
//   n SEQ LINE ↵ NAME ↵ ARGS          a tool by a name that the surface does not hold
//   h SEQ LINE ↵ NAME ↵ ARGS          a helper
//   x SEQ                             the script no longer waits for a helper
//   o TYPE STREAM CONSOLE ↵ PAYLOAD   output
//   s ↵ KEY ↵ VALUE                   a stored value; empty deletes
//   p ↵ [MESSAGE, FRACTION]           progress
//   e ↵ RECORD ↵ VALUE                the end; an empty VALUE is no value
(function bridge(p, kit) {
  const TAKE_CHARS = 1 << 20;
  const TAKE_FRAMES = 2000;
  const { stringify } = p;

  let queue = p.list();
  let first = 0;
  let last = 0;
  let queued = 0;
  let seq = 0;
  let ended = false;
  let broken = false;
  const pending = new p.Map();

  const send = (frame) => {
    if (ended) return;
    // Memory may end at any of these steps: what was not done must not be counted.
    queue[last] = frame;
    last++;
    queued += frame.length;
    if (queued <= kit.options.frame_bytes) return;
    // A script that only computes cannot be interrupted to fetch what it says: bound it here.
    const message =
      "the script prints, stores and sends more than " +
      kit.options.frame_bytes +
      " characters without a pause (frame_bytes); leave out what is not needed";
    end({ __proto__: null, outcome: "limit", limit: "frame_bytes", message }, "");
    throw new p.RangeError(message);
  };

  const endWith = (record, value) => {
    if (ended) return;
    queue[last] = "e\n" + record + "\n" + value + "\n";
    last++;
    ended = true;
  };

  // JSON of a record of strings, numbers and booleans. JSON.stringify itself can be reached by a
  // setter of Array.prototype once it opens an object.
  const flat = (record) => {
    const names = p.keys(record);
    let text = "";
    for (let i = 0; i < names.length; i++) {
      const value = record[names[i]];
      if (value === undefined) continue;
      const json = typeof value === "string" ? stringify(value) : "" + value;
      text += (text === "" ? "{" : ",") + stringify(names[i]) + ":" + json;
    }
    return text + "}";
  };

  const end = (record, value) => endWith(flat(record), value);

  // 0: nothing to fetch, 1: something, 2: the script has ended, 3: it could not be told how.
  const pulse = () => (broken ? 3 : ended ? 2 : first === last ? 0 : 1);

  // Fetch what is queued, in pieces; "" when there is nothing. With `marked`, a digit stands in
  // front: 1 while there is more, else the pulse. The binding takes no text that the engine has
  // not put together yet, which `join` does; nothing leaves the queue before that is done.
  const gather = (marked) => {
    let text = "";
    let at = first;
    const end = p.min(last, first + TAKE_FRAMES);
    while (at < end && text.length < TAKE_CHARS) text += queue[at++];
    const { length } = text;
    const mark = !marked ? "" : at < last ? 1 : broken ? 3 : ended ? 2 : 0;
    const piece = p.join([mark, text], "");
    queued -= length;
    if (at === last) {
      queue = p.list();
      first = last = 0;
    } else while (first < at) queue[first++] = "";
    return piece;
  };

  const take = () => gather(false);
  const hand = () => gather(true);

  // A promise of ours that `await` takes as it is, whatever a script did to Promise.prototype. One
  // that a script has frozen stays as it is.
  const own = (promise) => {
    p.defineProperty(promise, "constructor", { __proto__: null, value: p.Promise });
    return promise;
  };

  const never = own(new p.Promise(() => {}));

  // Submit a call; `head` makes the first lines of its frame from its number.
  const submit = (head, args, reply) => {
    if (ended) return 0;
    // A number that is not sent is not used up: the host misses none.
    const id = seq + 1;
    p.mapSet(pending, id, reply);
    send(head(id) + args + "\n");
    seq = id;
    return id;
  };

  const cancel = (id) => {
    if (ended || !p.mapDelete(pending, id)) return;
    send("x " + id + "\n");
  };

  const settle = (id, reply) => {
    const waiting = p.mapGet(pending, id);
    if (waiting === undefined) return;
    p.mapDelete(pending, id);
    reply(waiting);
  };

  return {
    __proto__: null,
    send,
    end,
    endWith,
    take,
    never,
    own,
    submit,
    cancel,
    settle,
    get ended() {
      return ended;
    },
    pulse,
    hand,
    breakOff: () => {
      broken = true;
    },
  };
});
