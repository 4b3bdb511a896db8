const wanted: any[] = [];
for (let page = 1; ; page++) {
  const batch = (await tools.list_notifications({
    filter: "include_read_notifications", perPage: 100, page,
  })) as any[];
  wanted.push(...batch.filter((n) => n.reason === "review_requested"));
  if (batch.length < 100) break;
}
await Promise.all(wanted.map((n) => tools.dismiss_notification({ threadID: n.id, state: "done" })));
return wanted.map((n) => n.subject.title).sort();
