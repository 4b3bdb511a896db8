// Images that a script shows: base64, a data URL, or bytes. What they are is told by their first
// bytes, not by what the script says.
(function image(p) {
  const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

  const encode = (bytes) => {
    let text = "";
    for (let i = 0; i < bytes.length; i += 3) {
      const two = i + 1 < bytes.length;
      const three = i + 2 < bytes.length;
      const bits = (bytes[i] << 16) | ((two ? bytes[i + 1] : 0) << 8) | (three ? bytes[i + 2] : 0);
      text += ALPHABET[bits >> 18] + ALPHABET[(bits >> 12) & 63];
      text += (two ? ALPHABET[(bits >> 6) & 63] : "=") + (three ? ALPHABET[bits & 63] : "=");
    }
    return p.join([text], "");
  };

  // By the start of the base64 text: the signatures of the four formats.
  const typeOf = (data) => {
    if (p.match(/^iVBORw0KGg/, data) !== null) return "image/png";
    if (p.match(/^\/9j\//, data) !== null) return "image/jpeg";
    if (p.match(/^R0lGOD(?:dh|lh)/, data) !== null) return "image/gif";
    if (p.match(/^UklGR.{6}XRUJQ/, data) !== null) return "image/webp";
    return "";
  };

  const read = (given, mimeType) => {
    let data;
    let said = typeof mimeType === "string" ? p.lower(mimeType) : "";
    if (typeof given === "string") {
      const url = p.match(/^data:([^;,]*)((?:;[^;,]*)*),/, p.slice(given, 0, 200));
      if (url !== null) {
        if (p.match(/;base64$/i, url[2]) === null) {
          throw new p.TypeError("image(): a data URL must be base64");
        }
        said = said === "" ? p.lower(url[1]) : said;
        data = p.slice(given, url[0].length);
      } else data = given;
      data = p.join(p.split(data, "\n"), "");
      if (data.length % 4 === 1 || p.match(/^[A-Za-z0-9+/]+={0,2}$/, data) === null) {
        throw new p.TypeError("image(): expected base64, a data URL or bytes");
      }
    } else if (p.isView(given))
      data = encode(new p.Uint8Array(given.buffer, given.byteOffset, given.byteLength));
    else if (p.hasInstance(p.ArrayBuffer, given)) data = encode(new p.Uint8Array(given));
    else
      throw new p.TypeError("image(): expected base64, a data URL or bytes, not " + typeof given);
    const found = typeOf(data);
    if (found === "") throw new p.TypeError("image(): only PNG, JPEG, GIF and WebP can be shown");
    const same = said === "" || said === found || (said === "image/jpg" && found === "image/jpeg");
    if (!same) throw new p.TypeError("image(): the data is " + found + ", not " + said);
    return { __proto__: null, data, mimeType: found };
  };

  return { __proto__: null, read };
});
