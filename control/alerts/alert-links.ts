import { alertLimits } from '../../contract/manage/alerts.js';
import { type PageRole, permissionsOfAdmin, permissionsOfRole } from '../../contract/permissions.js';
import type { Clock } from '../../lib/clock.js';
import { type AlertId, type ChannelId, type PageId, parseId, type UserId } from '../../lib/ids.js';
import { signToken, verifyToken } from '../../lib/secrets/secret-box.js';
import { dayMs } from '../../lib/times.js';
import type { Sql } from '../../sql/open-postgres.js';
import type { Actor } from '../audit/index.js';
import { type Alert, listTogether } from './alert.js';

/** Whoever got a message: a person, or everybody who reads a channel. */
export type LinkRecipient = { type: 'person'; id: UserId } | { type: 'channel'; id: ChannelId };

/** An alert, which stands for all that were told in one message with it, and who got the message. */
type LinkedMessage = { alertId: AlertId; recipient: LinkRecipient };

/** The derived key of these tokens; those of other links are useless here. */
const purpose = 'alert-link';

/**
 * Bytes of the MAC. A text message has 160 characters, of which the address of a service and its page take 50, and 40 must be
 * left for words.
 */
const macBytes = 16;
const types = ['person', 'channel'] as const;

/** Makes the token of a link in a message. `undefined` for an alert that is none, such as in a message of an earlier version. */
export function signAlertLink(
  secretKey: string,
  { alertId, recipient }: { alertId: string; recipient: LinkRecipient },
): string | undefined {
  if (parseId<AlertId>(alertId) === undefined) return undefined;
  const ids = Buffer.from(`${alertId}${recipient.id}`.replaceAll('-', ''), 'hex');
  const name = Buffer.concat([Buffer.from([types.indexOf(recipient.type)]), ids]).toString('base64url');
  return signToken(secretKey, purpose, name, macBytes);
}

/** Returns the message that a token was made for; `undefined` for any other text. */
function readAlertLink(secretKey: string, token: string): LinkedMessage | undefined {
  const name = verifyToken(secretKey, purpose, token, macBytes);
  if (name === undefined) return undefined;
  const bytes = Buffer.from(name, 'base64url');
  const [alertId, id] = [idAt(bytes, 1), idAt(bytes, 17)];
  return {
    alertId: alertId as AlertId,
    recipient: { type: types[bytes[0] ?? 0] ?? 'person', id } as LinkRecipient,
  };
}

function idAt(bytes: Buffer, start: number): string {
  const hex = bytes.toString('hex', start, start + 16);
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** The alerts of a message, and what its receiver may do about them. */
export type OpenedLink = {
  page: { id: PageId; slug: string; name: string; timeZone: string };
  /** Told in one message, the worst and oldest first; at most 50 of them. */
  alerts: [Alert, ...Alert[]];
  /** How many were told in that message. */
  count: number;
  /** Who answers them by this link, without an address. */
  by: Actor;
  mayAnswer: boolean;
};

type Deps = { sql: Sql; clock: Clock; secretKey: string };

/**
 * Opens a link as its receiver may now: a person needs a role on the page, and a channel must be on. `undefined` for a link
 * that does not work, or does not any more: it ends 30 days after the alert began.
 */
export async function openAlertLink(deps: Deps, token: string): Promise<OpenedLink | undefined> {
  const message = readAlertLink(deps.secretKey, token);
  if (message === undefined) return undefined;
  const earliest = new Date(deps.clock.now() - alertLimits.linkDays * dayMs);
  const [page] = await deps.sql<OpenedLink['page'][]>`
    select p.id, p.slug, p.name, p.time_zone as "timeZone" from alerts a join pages p on p.id = a.page_id
    where a.id = ${message.alertId} and a.started_at > ${earliest} and p.deleted_at is null`;
  if (page === undefined) return undefined;
  const receiver = await findReceiver(deps, page.id, message.recipient);
  if (receiver === undefined) return undefined;
  const { alerts, count } = await listTogether(deps, { pageId: page.id, id: message.alertId });
  const [first, ...others] = alerts;
  return first && { page, alerts: [first, ...others], count, ...receiver };
}

async function findReceiver(
  { sql }: Deps,
  pageId: PageId,
  { type, id }: LinkRecipient,
): Promise<Pick<OpenedLink, 'by' | 'mayAnswer'> | undefined> {
  if (type === 'channel') {
    const [channel] = await sql<{ name: string }[]>`
      select name from channels
      where id = ${id} and page_id = ${pageId} and subscriber_id is null and disabled_at is null`;
    return channel && { by: { type, id, name: `the channel ${channel.name}` }, mayAnswer: true };
  }
  const [person] = await sql<{ email: string; isAdmin: boolean; role: PageRole | null }[]>`
    select u.email, u.is_admin as "isAdmin", r.role
    from users u left join page_roles r on r.user_id = u.id and r.page_id = ${pageId}
    where u.id = ${id} and u.disabled_at is null and (u.is_admin or r.role is not null)`;
  if (person === undefined) return undefined;
  const permissions =
    person.isAdmin || person.role === null ? permissionsOfAdmin : permissionsOfRole[person.role];
  const by = { type: 'user', id, name: person.email } as const;
  return { by, mayAnswer: permissions.has('alerts.acknowledge') };
}
