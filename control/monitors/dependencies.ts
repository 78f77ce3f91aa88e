import type { PageId } from '../../lib/ids.js';
import { describeSent } from '../../lib/mistakes/describe-sent.js';
import { reaches } from '../../lib/reaches.js';
import { ServiceError } from '../../lib/service-error.js';
import type { Transaction } from '../../sql/open-postgres.js';

/**
 * Returns the monitors that one depends on, each once and in their order. Changes of monitors of a page follow each other, so
 * that no two close a circle.
 *
 * @throws ServiceError `invalidBody` for a monitor that the page does not have, and for one that depends on this one.
 */
export async function parseDependsOn(
  tx: Transaction,
  { pageId, slug }: { pageId: PageId; slug: string },
  given: readonly string[],
): Promise<string[]> {
  const dependsOn = [...new Set(given)].sort();
  if (dependsOn.length === 0) return dependsOn;
  const others = await tx<{ slug: string; dependsOn: string[] }[]>`
    select slug, depends_on as "dependsOn" from monitors where page_id = ${pageId} and slug <> ${slug}`;
  const ahead = new Map(others.map((monitor) => [monitor.slug, monitor.dependsOn]));
  for (const one of dependsOn) {
    if (one === slug) throw invalid('A monitor cannot depend on itself.');
    if (!ahead.has(one)) throw invalid(`The page has no monitor with ${describeSent(one, 'slug')}.`);
    if (reaches(ahead, one, slug)) throw invalid(`The monitor "${one}" depends on this one.`);
  }
  return dependsOn;
}

function invalid(message: string): ServiceError {
  return new ServiceError('invalidBody', { message, field: '/dependsOn' });
}
