(function inspect(p, deps) {
  return { inspect: (v) => "" + v, format: (a) => "" + a[0] };
});
