import { isSlug } from '../../../lib/slug.js';

/** The slug of the monitor of a site, or why there is none. */
export type MonitorSlug = { slug: string } | { reason: string };

/**
 * Finds the slugs of the monitors of sites, in their order. `renames` holds chosen ones by Upptime's slug. Otherwise a
 * slug stays as it is, or has small letters for capitals and `-` for `_` and `.`, which a monitor's slug cannot have.
 * Two sites never get the same one: a chosen or unchanged slug goes before a changed one, and of two equals neither.
 */
export function monitorSlugs(slugs: readonly string[], renames: ReadonlyMap<string, string>): MonitorSlug[] {
  const wanted = slugs.map((slug) => renames.get(slug) ?? slug.toLowerCase().replaceAll(/[_.]/g, '-'));
  const isExact = wanted.map((slug, index) => renames.has(slugs[index] ?? '') || slug === slugs[index]);
  return wanted.map((slug, index) => {
    if (!isSlug(slug)) return { reason: `"${slug}" cannot be the slug of a monitor` };
    const rivals = [...wanted.keys()].filter(
      (other) => other !== index && wanted[other] === slug && (isExact[other] || !isExact[index]),
    );
    const [rival] = rivals;
    if (rival === undefined) return { slug };
    return { reason: `the site ${slugs[rival]} has the slug ${slug}, too` };
  });
}
