const emails = [
  "sofia.rossi2645@example.com",
  "nobody@example.com",
  "liam.kovacs5432@example.com",
  "Harper.Kim4003@EXAMPLE.com",
];
const ids = await Promise.all(
  emails.map(async (email) =>
    (await tools.find_user_by_email({ email })) ??
    (await tools.find_user_by_email({ email: email.toLowerCase() })) ??
    "unknown"),
);
return Object.fromEntries(emails.map((email, i) => [email, ids[i]]));
