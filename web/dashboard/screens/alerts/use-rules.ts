import { pagePath } from '../../reads/api-path.js';
import { type Read, useRead } from '../../reads/use-read.js';
import { usePage } from '../../session.js';

/** A rule as filters and silences name it. */
export type RuleName = { slug: string; name: string };

/** Reads the rules of the page: as many as it may have are one part of the list. */
export function useRules(): Read<{ items: readonly RuleName[] }> {
  const { slug } = usePage();
  return useRead(pagePath(slug, '/rules', { limit: '200' }));
}
