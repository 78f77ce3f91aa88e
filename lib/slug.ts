import { ServiceError } from './service-error.js';

export const slugPattern = '^[a-z0-9-]{1,63}$';

const slugExpression = new RegExp(slugPattern);

/** Whether a text can be the slug of a page or monitor: 1 to 63 of the characters a-z, 0-9 and `-`. */
export function isSlug(text: string): boolean {
  return slugExpression.test(text);
}

/**
 * Checks the slug of a page or monitor.
 *
 * @throws ServiceError `invalidBody` unless it has 1 to 63 of the characters a-z, 0-9 and `-`.
 */
export function checkSlug(slug: string): void {
  if (isSlug(slug)) return;
  throw new ServiceError('invalidBody', {
    message: `The slug "${slug}" must be 1 to 63 of the characters a-z, 0-9 and "-".`,
    field: '/slug',
  });
}

const resourceSlugCharsMax = 60;

/**
 * Checks the slug of a rule, an objective, a policy or a schedule.
 *
 * @throws ServiceError `invalidBody` unless it has 1 to 60 characters, which are a-z, 0-9 and single hyphens between them.
 */
export function checkResourceSlug(slug: string): void {
  if (/^[a-z0-9]+(-[a-z0-9]+)*$/.test(slug) && slug.length <= resourceSlugCharsMax) return;
  throw new ServiceError('invalidBody', {
    message: `The slug "${slug.slice(0, 80)}" must have 1 to ${resourceSlugCharsMax} characters: a-z, 0-9, and single hyphens between them.`,
    field: '/slug',
  });
}

const slugCharsMax = 63;

const written: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue', ß: 'ss', æ: 'ae', ø: 'o' };

/**
 * Returns a slug that resembles a name; an empty text for a name without Latin letters or digits.
 *
 * @param kind such as `monitor`, which a name without Latin letters or digits gets with a number made of the name, so that
 *   such names differ and the same name has the same slug again
 */
export function proposeSlug(name: string, kind = ''): string {
  const slug = name
    .normalize('NFC')
    .toLowerCase()
    .replace(/[äöüßæø]/g, (letter) => written[letter] ?? '')
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, slugCharsMax)
    .replace(/^-+|-+$/g, '');
  if (slug !== '' || kind === '' || name.trim() === '') return slug;
  return `${kind}-${hashOf(name.normalize('NFC').trim()).toString(36)}`;
}

/** proposeSlug() for a rule, an objective, a policy or a schedule, whose slugs are shorter. */
export function proposeResourceSlug(name: string, kind: string): string {
  return proposeSlug(name, kind).slice(0, resourceSlugCharsMax).replace(/-+$/, '');
}

/** FNV-1a of 32 bits (http://www.isthe.com/chongo/tech/comp/fnv/): browsers have no hash that answers at once. */
function hashOf(text: string): number {
  const bytes = new TextEncoder().encode(text);
  return bytes.reduce((hash, byte) => Math.imul(hash ^ byte, 0x01000193), 0x811c9dc5) >>> 0;
}
