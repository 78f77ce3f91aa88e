import { isDeepStrictEqual } from 'node:util';
import { type PageId, parseId, type QueryId } from '../../lib/ids.js';
import { ServiceError } from '../../lib/service-error.js';
import type { Transaction } from '../../sql/open-postgres.js';
import type { RuleFields } from './rule.js';

type Referring = Pick<RuleFields, 'policy' | 'target' | 'opensIncident'>;

/**
 * Checks that the policy, the template, the objective, the query, the monitor and the group that a rule names are there. Names
 * that stay as they were are not looked at: a rule whose monitor is gone can still be changed. The rows stay until the
 * transaction ends.
 *
 * @throws ServiceError `invalidBody`, naming the field.
 */
export async function checkReferences(
  tx: Transaction,
  pageId: PageId,
  { before, after }: { before: Referring | undefined; after: Referring },
): Promise<void> {
  const known = before === undefined ? [] : namesIn(before);
  for (const name of namesIn(after)) {
    if (known.some((one) => isDeepStrictEqual(one, name))) continue;
    if (await isThere(tx, pageId, name)) continue;
    throw new ServiceError('invalidBody', {
      message: `${name.field}: the page has no ${nouns[name.noun]} "${name.value.slice(0, 100)}".`,
    });
  }
}

const nouns = {
  policies: 'policy',
  incident_templates: 'template',
  objectives: 'objective',
  queries: 'shared query',
  monitors: 'monitor',
  monitor_groups: 'group',
} as const;

type Name = { field: string; noun: keyof typeof nouns; value: string };

function namesIn({ policy, target, opensIncident }: Referring): Name[] {
  const names = [
    { field: '/policy', noun: 'policies', value: policy },
    { field: '/opensIncident/template', noun: 'incident_templates', value: opensIncident?.template },
    { field: '/target/objective', noun: 'objectives', value: target.objective },
    { field: '/target/query', noun: 'queries', value: target.query },
    { field: '/target/monitor', noun: 'monitors', value: target.monitor },
    { field: '/target/group', noun: 'monitor_groups', value: target.group },
  ] as const;
  return names.flatMap(({ value, ...name }) => (value == null ? [] : [{ ...name, value }]));
}

async function isThere(tx: Transaction, pageId: PageId, { noun, value }: Name): Promise<boolean> {
  const isNamed =
    noun === 'queries'
      ? tx`id = ${parseId<QueryId>(value) ?? null} and owner_id is null`
      : tx`slug = ${value}`;
  const { count } = await tx`
    select 1 from ${tx(noun)} where page_id = ${pageId} and ${isNamed} for key share`;
  return count > 0;
}
