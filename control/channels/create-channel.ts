import { type ChannelKind, channelLimits } from '../../contract/channels.js';
import { isLine, lineRule } from '../../contract/line.js';
import type { Clock } from '../../lib/clock.js';
import { type ChannelId, newId, type PageId } from '../../lib/ids.js';
import { ServiceError } from '../../lib/service-error.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import type { Actor } from '../audit/index.js';
import { recordChannel } from './audit-channel.js';
import { sealSettings } from './channel-secrets.js';
import { type ListedChannel, loadChannel, type QuietHours } from './find-channels.js';
import { type ProviderOrigins, providerOrigins } from './formats/message.js';
import { parseSettings, parseTopics, type SettingsChange } from './parse-settings.js';

export type ChannelDeps = {
  sql: Sql;
  clock: Clock;
  by: Actor;
  secretKey: string;
  /** The servers of the providers when absent. */
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

/**
 * Creates a channel. It reports trouble that begins from now on, and trouble that lasts and no other channel has reported.
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
