import { type ChannelKind, channelLimits } from '../../contract/channels.js';
import { isLine, lineRule } from '../../contract/line.js';
import type { Clock } from '../../lib/clock.js';
import { type ChannelId, newId, type PageId } from '../../lib/ids.js';
import { ServiceError } from '../../lib/service-error.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import type { Actor } from '../audit/index.js';
import { park } from '../delivery/index.js';
import {
  type Channel,
  type ChannelRef,
  type ListedChannel,
  loadChannel,
  lockChannel,
  type QuietHours,
  recordChannel,
  sealSettings,
} from './channel.js';
import { type ProviderOrigins, providerOrigins } from './formats/message.js';
import { refuseKeptSecretsElsewhere } from './kept-secrets.js';
import { parseSettings, parseTopics, type SettingsChange } from './parse-channel.js';
import { messageTable } from './queue.js';

export type ChannelDeps = {
  sql: Sql;
  clock: Clock;
  by: Actor;
  secretKey: string;
  /** Those of the providers when absent. */
  origins?: ProviderOrigins;
};

export type ChannelInput = {
  kind: ChannelKind;
  name: string;
  settings: SettingsChange;
  /** null for every topic. */
  topics?: readonly string[] | null;
  quietHours?: QuietHours | null;
};

/** Gets the channel as it is, in the transaction of the change, and may refuse the change by an error. */
type Checked = { check?: (channel: ListedChannel) => void };

/**
 * Creates a channel. It reports what begins from now on, and what lasts and no other channel has reported.
 *
 * @throws ServiceError `invalidBody` when a setting cannot be used, `conflict` when the page has too many channels.
 */
export async function createChannel(
  deps: ChannelDeps,
  input: ChannelInput & { pageId: PageId },
): Promise<ListedChannel> {
  return inTransaction(deps.sql, (tx) => createChannelIn(tx, deps, input));
}

/** createChannel() as part of a transaction. */
export async function createChannelIn(
  tx: Transaction,
  { clock, by, secretKey, origins = providerOrigins }: ChannelDeps,
  {
    pageId,
    kind,
    name,
    settings: given,
    topics = null,
    quietHours = null,
  }: ChannelInput & { pageId: PageId },
): Promise<ListedChannel> {
  const { settings, open, host } = parseSettings(kind, given, { origins });
  const told = parseTopics(topics);
  await checkRoom(tx, pageId);
  const now = clock.now();
  const id = newId<ChannelId>(now);
  await tx`
    insert into channels (id, page_id, kind, name, host, open_settings, settings, topics, quiet_from_minute,
      quiet_to_minute, created_at)
    values (${id}, ${pageId}, ${kind}, ${parseName(name)}, ${host}, ${tx.json(open)},
      ${sealSettings(secretKey, id, settings)}, ${told}::text[], ${quietHours?.fromMinute ?? null},
      ${quietHours?.toMinute ?? null}, ${new Date(now)})`;
  const created = await loadChannel({ sql: tx }, { id, pageId });
  await recordChannel(tx, { by, now }, { verb: 'create', before: null, after: created });
  return created;
}

export type ChannelChanges = Partial<Omit<ChannelInput, 'kind'>> & {
  /** A channel that is turned off drops what waits for it. */
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

/** What failed at the address before is tried at the new one at once. */
async function tryAtOnce(tx: Transaction, id: ChannelId, now: number): Promise<void> {
  await tx`
    update channel_messages set next_attempt_at = ${new Date(now)}
    where channel_id = ${id} and state = 'pending' and held_until is null`;
}

/** What quiet hours held is due when they are changed. */
async function releaseHeld(tx: Transaction, id: ChannelId, now: number): Promise<void> {
  await tx`
    update channel_messages set next_attempt_at = ${new Date(now)}, held_until = null
    where channel_id = ${id} and state = 'pending' and held_until > ${new Date(now)}`;
}

/** Deletes a channel with its messages. @throws ServiceError `notFound`; what `check` throws. */
export async function deleteChannel(
  { sql, clock, by, secretKey }: ChannelDeps,
  { check, ...ref }: ChannelRef & Checked,
): Promise<void> {
  await inTransaction(sql, async (tx) => {
    const { channel: before } = await lockChannel(tx, ref, secretKey);
    check?.(await loadChannel({ sql: tx }, ref));
    await tx`delete from channels where page_id = ${before.pageId} and id = ${before.id}`;
    await recordChannel(tx, { by, now: clock.now() }, { verb: 'delete', before, after: null });
  });
}

/** Stops the messages to every channel of a page that is deleted. */
export async function disablePageChannels(tx: Transaction, pageId: PageId, now: number): Promise<void> {
  await tx`
    update channels set disabled_at = ${new Date(now)} where page_id = ${pageId} and disabled_at is null`;
}

/** Channels of a page are created one after the other. @throws ServiceError `conflict` */
async function checkRoom(tx: Transaction, pageId: PageId): Promise<void> {
  await tx`select 1 from pages where id = ${pageId} for no key update`;
  const [all] = await tx<{ count: number }[]>`
    select count(*)::integer as count from channels where page_id = ${pageId} and subscriber_id is null`;
  if ((all?.count ?? 0) < channelLimits.channelsPerPage) return;
  throw new ServiceError('conflict', {
    message: `The page has ${channelLimits.channelsPerPage} channels, which is the most; delete one first.`,
  });
}

/** @throws ServiceError `invalidBody` */
export function parseName(text: string): string {
  const name = text.trim();
  if (name.length <= channelLimits.nameChars && isLine('line', name)) return name;
  throw new ServiceError('invalidBody', {
    message: `The name of a channel must have 1 to ${channelLimits.nameChars} characters, and ${lineRule('line')}.`,
  });
}
