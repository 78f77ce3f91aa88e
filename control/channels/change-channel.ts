import type { ChannelId, PageId } from '../../lib/ids.js';
import { ServiceError } from '../../lib/service-error.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Transaction } from '../../sql/open-postgres.js';
import { park } from '../delivery/index.js';
import { recordChannel } from './audit-channel.js';
import { refuseKeptSecretsElsewhere, sealSettings } from './channel-secrets.js';
import { type ChannelDeps, type ChannelInput, parseName } from './create-channel.js';
import {
  type Channel,
  type ChannelRef,
  type ListedChannel,
  loadChannel,
  lockChannel,
} from './find-channels.js';
import { providerOrigins } from './formats/message.js';
import { parseSettings, parseTopics } from './parse-settings.js';
import { messageTable } from './queue.js';

/** Gets the channel as it is, in the transaction of the change, and may refuse the change by an error. */
export type Checked = { check?: (channel: ListedChannel) => void };

export type ChannelChanges = Partial<Omit<ChannelInput, 'kind'>> & {
  /** Messages that wait are dropped when a channel is turned off. */
  enabled?: boolean;
};

/**
 * Changes a channel. Messages that wait go to the new address at once.
 *
 * @throws ServiceError `notFound` when there is no such channel, `invalidBody` when a setting cannot be used; what `check`
 *   throws.
 */
export async function changeChannel(
  deps: ChannelDeps,
  input: ChannelRef & ChannelChanges & Checked,
): Promise<ListedChannel> {
  return inTransaction(deps.sql, (tx) => changeChannelIn(tx, deps, input));
}

/** changeChannel() as part of a transaction. */
export async function changeChannelIn(
  tx: Transaction,
  { clock, by, secretKey, origins = providerOrigins }: ChannelDeps,
  {
    check,
    name,
    settings: given,
    topics,
    quietHours,
    enabled,
    ...ref
  }: ChannelRef & ChannelChanges & Checked,
): Promise<ListedChannel> {
  const { channel: before, settings: known } = await lockChannel(tx, ref, secretKey);
  check?.(await loadChannel({ sql: tx }, ref));
  const now = clock.now();
  const parsed = given && parseSettings(before.kind, given, { before: known, origins });
  if (parsed !== undefined && by.type !== 'cli') {
    refuseKeptSecretsElsewhere({ before: known, after: parsed.settings }, given ?? {});
  }
  const row = {
    ...(name !== undefined && { name: parseName(name) }),
    ...(parsed !== undefined && {
      ...{ host: parsed.host, open_settings: tx.json(parsed.open) },
      settings: sealSettings(secretKey, before.id, parsed.settings),
    }),
    ...(quietHours !== undefined && {
      quiet_from_minute: quietHours?.fromMinute ?? null,
      quiet_to_minute: quietHours?.toMinute ?? null,
    }),
    ...(enabled !== undefined && { disabled_at: enabled ? null : (before.disabledAt ?? new Date(now)) }),
  };
  if (topics !== undefined) {
    await tx`update channels set topics = ${parseTopics(topics)}::text[] where id = ${before.id}`;
  }
  if (Object.keys(row).length > 0) await tx`update channels set ${tx(row)} where id = ${before.id}`;
  if (quietHours !== undefined) await releaseHeld(tx, before.id, now);
  if (parsed !== undefined) await tryAtOnce(tx, before.id, now);
  if (enabled === false) {
    // News that was urgent when the channel was turned off is not when it is turned on again.
    const which = tx`q.channel_id = ${before.id}`;
    await park(tx, messageTable, { which, reason: 'off: The channel was turned off.', now });
  }
  const after = await loadChannel({ sql: tx }, ref);
  const verb = verbOf(before, after);
  await recordChannel(
    tx,
    { by, now },
    { verb, before, after, ...(parsed !== undefined && { marks: { secretsChanged: true } }) },
  );
  return after;
}

function verbOf(before: Channel, after: Channel): 'update' | 'disable' | 'enable' {
  if ((before.disabledAt === null) === (after.disabledAt === null)) return 'update';
  return after.disabledAt === null ? 'enable' : 'disable';
}

/** Messages that failed at the address before are tried at the new one at once. */
async function tryAtOnce(tx: Transaction, id: ChannelId, now: number): Promise<void> {
  await tx`
    update channel_messages set next_attempt_at = ${new Date(now)}
    where channel_id = ${id} and state = 'pending' and held_until is null`;
}

/** Messages that quiet hours hold are due when these are changed. */
async function releaseHeld(tx: Transaction, id: ChannelId, now: number): Promise<void> {
  await tx`
    update channel_messages set next_attempt_at = ${new Date(now)}, held_until = null
    where channel_id = ${id} and state = 'pending' and held_until > ${new Date(now)}`;
}

/**
 * Deletes a channel with its messages.
 *
 * @throws ServiceError `notFound`; `conflict` that names a policy in which it is; what `check` throws.
 */
export async function deleteChannel(
  { sql, clock, by, secretKey }: ChannelDeps,
  { check, ...ref }: ChannelRef & Checked,
): Promise<void> {
  await inTransaction(sql, async (tx) => {
    const { channel: before } = await lockChannel(tx, ref, secretKey);
    check?.(await loadChannel({ sql: tx }, ref));
    await refuseNamed(tx, before.id);
    await tx`delete from channels where page_id = ${before.pageId} and id = ${before.id}`;
    await recordChannel(tx, { by, now: clock.now() }, { verb: 'delete', before, after: null });
  });
}

/** A policy that takes the channel in at the same time holds a lock on it, which is waited for. */
async function refuseNamed(tx: Transaction, id: ChannelId): Promise<void> {
  await tx`select 1 from channels where id = ${id} for update`;
  const [policy] = await tx<{ slug: string }[]>`
    select p.slug from policy_targets g join policies p on p.id = g.policy_id
    where g.channel_id = ${id} order by p.slug limit 1`;
  if (policy === undefined) return;
  throw new ServiceError('conflict', {
    message: `The policy "${policy.slug}" tells this channel; take it out of its steps first.`,
  });
}

/** Stops the messages to every channel of a page that is deleted. */
export async function disablePageChannels(tx: Transaction, pageId: PageId, now: number): Promise<void> {
  await tx`
    update channels set disabled_at = ${new Date(now)} where page_id = ${pageId} and disabled_at is null`;
}
