/**
 * Returns things in an order in which each stands behind those that it depends on, and else in the given one. In a circle,
 * which the service refuses, somebody stands first.
 *
 * @param behind the slugs that each depends on, also over things that are not to be ordered.
 */
export function inOrder<One extends { slug: string }>(
  ones: readonly One[],
  behind: ReadonlyMap<string, readonly string[]>,
): One[] {
  const seen = new Set<string>();
  const ordered: string[] = [];
  const visit = (slug: string): void => {
    if (seen.has(slug)) return;
    seen.add(slug);
    for (const other of behind.get(slug) ?? []) visit(other);
    ordered.push(slug);
  };
  for (const { slug } of ones) visit(slug);
  const bySlug = new Map(ones.map((one) => [one.slug, one]));
  return ordered.flatMap((slug) => bySlug.get(slug) ?? []);
}
