import type { Transaction } from '../../sql/open-postgres.js';
import { type Actor, type AuditedFields, recordChange } from '../audit/index.js';
import type { Way } from './find-ways.js';

type Verb = 'create' | 'update' | 'code' | 'confirm' | 'test' | 'delete';

/**
 * Writes a change of a way into the audit log, in its transaction. The log has no secret, and no address or number: people
 * who run the installation read it. `marks` are further fields of the state after the change.
 */
export async function recordWay(
  tx: Transaction,
  audit: { by: Actor; now: number },
  { verb, before, after, marks }: WayChange,
): Promise<void> {
  const { id, name } = after ?? before;
  await recordChange(tx, audit, {
    pageId: null,
    action: `contact-way.${verb}`,
    target: { type: 'contact-way', id, name },
    before: before && auditedFields(before),
    after: after && { ...auditedFields(after), ...marks },
  });
}

type WayChange = { verb: Verb; marks?: AuditedFields } & (
  | { before: Way | null; after: Way }
  | { before: Way; after: null }
);

function auditedFields({ kind, name, host, severities, quietHours, confirmedAt }: Way): AuditedFields {
  return { kind, name, host, severities, quietHours, confirmed: confirmedAt !== null };
}
