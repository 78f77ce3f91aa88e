import { randomBytes, randomInt } from 'node:crypto';

/** A string that becomes an id of its kind only through the functions of this file. */
type Brand<Kind extends string> = string & { readonly __kind: Kind };

export type PageId = Brand<'page'>;
export type KeyId = Brand<'key'>;
export type MonitorId = Brand<'monitor'>;
export type IncidentId = Brand<'incident'>;
export type UpdateId = Brand<'update'>;
export type AnnouncementId = Brand<'announcement'>;
export type WebhookId = Brand<'webhook'>;
export type DeliveryId = Brand<'delivery'>;
export type SubscriberId = Brand<'subscriber'>;
export type EmailId = Brand<'email'>;
export type ConnectionId = Brand<'connection'>;
/** Id of an observation. Its sender chooses it; it is unique within a page. */
export type ObservationId = Brand<'observation'>;
/** Id of a process that reports its pools. The process chooses it. */
export type SessionId = Brand<'session'>;
/** Id of a block of pool reports that are stored together. */
export type BlockId = Brand<'block'>;
export type UserId = Brand<'user'>;
/** Id of the session of a user who signed in; not the session of a process that reports its pools. */
export type UserSessionId = Brand<'user-session'>;
export type InvitationId = Brand<'invitation'>;
export type ResetLinkId = Brand<'reset-link'>;
export type AuditEntryId = Brand<'audit-entry'>;
export type QueryId = Brand<'query'>;
export type ObjectiveId = Brand<'objective'>;
export type BoardId = Brand<'board'>;
export type BoardShareId = Brand<'board-share'>;
export type DeploymentId = Brand<'deployment'>;
export type MonitorGroupId = Brand<'monitor-group'>;
export type SeriesId = Brand<'series'>;
export type ChannelId = Brand<'channel'>;
export type ChannelMessageId = Brand<'channel-message'>;
export type RuleId = Brand<'rule'>;
export type AlertId = Brand<'alert'>;
export type SilenceId = Brand<'silence'>;
export type ScheduleId = Brand<'schedule'>;
/** Id of somebody's time on call that beats the layers of a schedule. */
export type OverrideId = Brand<'override'>;
export type PolicyId = Brand<'policy'>;
export type ContactWayId = Brand<'contact-way'>;
export type PersonMessageId = Brand<'person-message'>;
/** Id that the alarms share which began together. */
export type ReportId = Brand<'report'>;
export type AlarmId = Brand<'alarm'>;

/**
 * Makes a UUIDv7 (RFC 9562, section 5.7): 48 bits of Unix milliseconds, then a counter, then random bits. Ids sort by the
 * time at which they were made, and within one millisecond by the order in which this process made them. `uuid` has no
 * such order for a given time, and takes two thirds of the time.
 *
 * @param now in milliseconds since the epoch.
 */
export function newId<Id extends Brand<string>>(now: number): Id {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(now, 0, 6);
  bytes.writeUInt16BE(0x7000 | nextCount(now), 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex');
  const id = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join(
    '-',
  );
  return id as Id; // The only place where the service makes an id.
}

const countMax = 0xfff;
const rememberedTimes = 1_000;

/**
 * The last count of each of the latest times. It belongs to the module because ids of all callers share their
 * milliseconds. It keeps several times, since a request makes ids of the time at which it began while others make later
 * ones.
 */
const lastCounts = new Map<number, number>();

/**
 * The next 12 bits of a millisecond (RFC 9562, section 6.2, method 1). The first are random, in the lower half, so that
 * 2,048 ids follow in order; those behind the last count share it, and have no order among themselves.
 */
function nextCount(now: number): number {
  const last = lastCounts.get(now);
  const count = last === undefined ? randomInt((countMax + 1) / 2) : Math.min(last + 1, countMax);
  // Set again, so that a time in use is not the oldest.
  lastCounts.delete(now);
  lastCounts.set(now, count);
  const [oldest] = lastCounts.keys();
  if (lastCounts.size > rememberedTimes && oldest !== undefined) lastCounts.delete(oldest);
  return count;
}

const uuidForm = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Returns the text as an id when it has the form of a UUID, so that a query can look for it; else `undefined`. */
export function parseId<Id extends Brand<string>>(text: string): Id | undefined {
  return uuidForm.test(text) ? (text.toLowerCase() as Id) : undefined; // The form is right; a query finds out whether it exists.
}
