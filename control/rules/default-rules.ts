import { newId, type PageId, type RuleId } from '../../lib/ids.js';
import type { Transaction } from '../../sql/open-postgres.js';

/** The rules that the team of a page wants from the first day on; each can be changed or deleted. */
const defaultRules = [
  {
    slug: 'monitors-down',
    name: 'Monitors are down',
    kind: 'monitor',
    condition: { is: 'down' },
    severity: 'page',
  },
  {
    ...{ slug: 'certificates-end', name: 'Certificates end', kind: 'monitor' },
    ...{ condition: { certificateDays: 14 }, severity: 'ticket' },
  },
  {
    ...{ slug: 'reporters-silent', name: 'Reporters are silent', kind: 'reporter' },
    ...{ condition: { is: 'silent' }, severity: 'ticket' },
  },
] as const;

/** Gives a new page the rules that each page begins with, in the transaction that creates it. */
export async function addDefaultRules(
  tx: Transaction,
  { pageId, now }: { pageId: PageId; now: number },
): Promise<void> {
  const at = new Date(now);
  await tx`
    insert into rules ${tx(
      defaultRules.map(({ condition, ...rule }) => ({
        ...{
          id: newId<RuleId>(now),
          page_id: pageId,
          ...rule,
          target: tx.json({}),
          condition: tx.json(condition),
        },
        ...{ for_seconds: 0, resolve_for_seconds: 0, no_data: 'ok', created_at: at, updated_at: at },
      })),
    )}`;
}
