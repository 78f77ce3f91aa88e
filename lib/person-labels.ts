/** Somebody as representations have it: `name` is the email of a person, and `personName` the name. */
export type Somebody = { name: string; personName?: string };

/**
 * Returns how each of a list is called where people read it: a person by name, with the email behind it where two of
 * the list have one name; others by theirs.
 */
export function labelPeople(list: Iterable<Somebody>): (one: Somebody) => string {
  const emails = new Map<string, Set<string>>();
  for (const { name, personName } of list) {
    if (personName === undefined) continue;
    const known = emails.get(personName) ?? new Set();
    emails.set(personName, known.add(name));
  }
  return ({ name, personName }) => {
    if (personName === undefined || personName === name) return name;
    return (emails.get(personName)?.size ?? 0) > 1 ? `${personName} (${name})` : personName;
  };
}
