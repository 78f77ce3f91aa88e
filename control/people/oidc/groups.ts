/** A provider's claims about a person. */
export type Claims = Readonly<Record<string, unknown>>;

/** More than any provider puts into a token. */
const groupsMax = 5_000;

/**
 * The groups of a person by all their names: `undefined` when the claims have none, `tooMany` when they only say that
 * there are more than a token holds, as Entra does beyond 200 (`_claim_names`, `hasgroups`).
 *
 * A claim is a list, or a single text. A group is a text or a number, or an object with an id, a name or a path (`value` in
 * SCIM). An object of objects, as in ZITADEL, has the names as its keys. A path such as `/team/on-call` of Keycloak is also
 * known without the slash in front.
 */
export function readGroups(claims: Claims, claim: string): readonly string[] | 'tooMany' | undefined {
  const found = claims[claim] ?? follow(claims, claim.split('.'));
  if (found === undefined || found === null) return isOverage(claims, claim) ? 'tooMany' : undefined;
  const listed = Array.isArray(found) ? found : isObject(found) ? Object.keys(found) : [found];
  const names = listed.slice(0, groupsMax).flatMap(namesOf);
  return [...new Set(names.flatMap((name) => (name.startsWith('/') ? [name, name.slice(1)] : [name])))];
}

function follow(claims: Claims, path: readonly string[]): unknown {
  let value: unknown = claims;
  for (const name of path) value = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return value;
}

function isOverage(claims: Claims, claim: string): boolean {
  const { _claim_names: elsewhere, hasgroups } = claims;
  if (isObject(elsewhere) && Object.hasOwn(elsewhere, claim)) return true;
  return claim === 'groups' && (hasgroups === true || hasgroups === 'true');
}

function namesOf(group: unknown): string[] {
  if (typeof group === 'string') return [group];
  if (typeof group === 'number') return [String(group)];
  if (!isObject(group)) return [];
  const { id, name, displayName, display, value, path } = group;
  return [id, name, displayName, display, value, path].filter((text) => typeof text === 'string');
}

function isObject(value: unknown): value is Claims {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
