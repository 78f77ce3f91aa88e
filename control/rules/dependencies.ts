import type { PageId } from '../../lib/ids.js';
import { reaches } from '../../lib/reaches.js';
import { ServiceError } from '../../lib/service-error.js';
import type { Transaction } from '../../sql/open-postgres.js';
import type { Dependency, RuleFields } from './rule.js';

/**
 * Checks that a rule depends on monitors and rules that exist, and on none that depends on it.
 *
 * @throws ServiceError `invalidBody`, naming the field.
 */
export async function checkDependencies(
  tx: Transaction,
  pageId: PageId,
  { slug, dependsOn }: Pick<RuleFields, 'slug' | 'dependsOn'>,
): Promise<void> {
  if (dependsOn.length === 0) return;
  const monitors = await tx<{ slug: string }[]>`select slug from monitors where page_id = ${pageId}`;
  const rules = await tx<{ slug: string; dependsOn: readonly Dependency[] }[]>`
    select slug, depends_on as "dependsOn" from rules where page_id = ${pageId} and slug <> ${slug}`;
  const knownMonitors = new Set(monitors.map((monitor) => monitor.slug));
  const behind = new Map(rules.map((rule) => [rule.slug, rulesOf(rule.dependsOn)]));
  for (const [at, dependency] of dependsOn.entries()) {
    if ('monitor' in dependency) {
      if (!knownMonitors.has(dependency.monitor))
        throw invalid(`/dependsOn/${at}/monitor: the page has no monitor "${dependency.monitor}".`);
    } else if (dependency.rule === slug || reaches(behind, dependency.rule, slug)) {
      throw invalid(`/dependsOn/${at}/rule: "${dependency.rule}" depends on this rule.`);
    } else if (!behind.has(dependency.rule)) {
      throw invalid(`/dependsOn/${at}/rule: the page has no rule "${dependency.rule}".`);
    }
  }
}

function rulesOf(dependsOn: readonly Dependency[]): string[] {
  return dependsOn.flatMap((one) => ('rule' in one ? [one.rule] : []));
}

function invalid(message: string): ServiceError {
  return new ServiceError('invalidBody', { message });
}
