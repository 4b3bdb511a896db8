const emails = [
  "sofia.rossi2645@example.com",
  "nobody@example.com",
  "liam.kovacs5432@example.com",
  "Harper.Kim4003@EXAMPLE.com",
];
const entries = await Promise.all(emails.map(async (email) => {
  const id = (await tools.find_user_by_email({ email }))
    ?? (await tools.find_user_by_email({ email: email.toLowerCase() }));
  return [email, id ?? "unknown"] as const;
}));
return Object.fromEntries(entries);
