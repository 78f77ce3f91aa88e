import type { Transaction } from '../../sql/open-postgres.js';
import { type Actor, recordChange } from '../audit/index.js';
import type { Channel } from './find-channels.js';

type Verb = 'create' | 'update' | 'disable' | 'enable' | 'delete' | 'test';

/**
 * Writes a change of a channel into the audit log, in its transaction. The log has no secret. `marks` are further fields
 * of the state after the change, such as `secretsChanged`.
 */
export async function recordChannel(
  tx: Transaction,
  audit: { by: Actor; now: number },
  { verb, before, after, marks }: ChannelChange,
): Promise<void> {
  const { pageId, id, name } = after ?? before;
  await recordChange(tx, audit, {
    pageId,
    action: `channel.${verb}`,
    target: { type: 'channel', id, name },
    before: before && auditedFields(before),
    after: after && { ...auditedFields(after), ...marks },
  });
}

type ChannelChange = { verb: Verb; marks?: Readonly<Record<string, unknown>> } & (
  | { before: Channel | null; after: Channel }
  | { before: Channel; after: null }
);

function auditedFields({ kind, name, host, settings, topics, quietHours, disabledAt }: Channel) {
  return { kind, name, host, settings, topics, quietHours, enabled: disabledAt === null };
}
