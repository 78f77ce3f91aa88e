import type { PageId } from '../../lib/ids.js';
import type { Transaction } from '../../sql/open-postgres.js';
import type { Actor } from './actor.js';
import { recordChange } from './record.js';

type Forgotten = { kind: 'service' | 'reporter'; id: string; name: string };

/** Returns what writes the row of the audit log when a service or reporter of a page is forgotten. */
export function recordForgotten(
  pageId: PageId,
  by: Actor,
): (tx: Transaction, source: Forgotten, now: number) => Promise<void> {
  return (tx, { kind, id, name }, now) =>
    recordChange(
      tx,
      { by, now },
      {
        pageId,
        action: 'reporter.forget',
        target: { type: 'reporter', id, name },
        before: { kind, name },
        after: null,
      },
    );
}
