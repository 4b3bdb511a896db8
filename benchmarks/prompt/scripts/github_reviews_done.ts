const all: any[] = [];
for (let page = 1; ; page++) {
  const r: any = await tools.list_notifications({
    filter: "include_read_notifications", page, perPage: 100,
  });
  all.push(...r);
  if (r.length < 100) break;
}
const mine = all.filter((n) => n.reason === "review_requested");
await Promise.all(mine.map((n) =>
  tools.dismiss_notification({ threadID: n.id, state: "done" })));
return mine.map((n) => n.subject.title).sort();
