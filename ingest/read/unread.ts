import { limits, withCommas } from '../../contract/limits.js';
import { describeSent } from '../../lib/mistakes/describe-sent.js';
import { listOr, nearestNames } from '../../lib/mistakes/nearest.js';
import type { Batch } from './batch.js';
import { fieldOf } from './event-keys.js';
import { latencyOf, messageOf, type RawEvent, type Version } from './raw-event.js';

/** Further names are left out of the warning. */
const unreadMax = 3;
/** A sender makes the same mistake in each event, and looking for it costs a microsecond. */
const oddEventsMax = 10;
/** Keys of one object that are looked at; comparing a name with all fields costs some microseconds. */
const keysMax = 20;

/** A shorter name is near to too many. */
const nearCharsMin = 4;

/** Names that other libraries have for the fields of an event, in small letters alone. */
const meanings: ReadonlyMap<string, readonly string[]> = new Map([
  ...namesOf(
    ['ms'],
    'duration durationms latency latencyms elapsed elapsedms took timems millis milliseconds',
  ),
  ...namesOf(['ms'], 'responsetime responsetimems durationseconds seconds'),
  ...namesOf(['ms', 'at'], 'time'),
  ...namesOf(['at'], 'timestamp ts date datetime createdat occurredat eventtime'),
  ...namesOf(['method'], 'verb httpmethod requestmethod'),
  ...namesOf(['service'], 'servicename application applicationname appname'),
  ...namesOf(['message'], 'msg reason errormessage err exception description'),
]);

function namesOf(fields: readonly string[], names: string): [string, readonly string[]][] {
  return names.split(' ').map((name) => [name, fields]);
}

/**
 * Notes the fields of an accepted event that are not read and probably mean one that is absent, and values that no field
 * takes: the event counts, but not as its sender thinks. Any other field may be there for another receiver. Looks at ten
 * such events of a batch at most.
 */
export function noteUnread(batch: Batch, event: RawEvent, version: Version): void {
  if (!looksForUnread(batch)) return;
  let isOdd = noteValues(batch, event);
  let looked = 0;
  for (const key of Object.keys(event)) {
    if (fieldOf.has(key)) continue;
    isOdd = true;
    looked += 1;
    if (looked > keysMax) break;
    const meant = meaningOf(key, event, version);
    if (meant.length > 0) note(batch, key, () => `${startOf(key, 'field')} is not read${hint(meant)}`);
  }
  if (isOdd) batch.oddEvents += 1;
}

/** Returns whether noteUnread() still looks at an event. */
export function looksForUnread(batch: Batch): boolean {
  return batch.oddEvents < oddEventsMax && batch.unread.size < unreadMax;
}

/** Notes members of a body that probably mean one that is absent. */
export function noteUnreadMembers(batch: Batch, body: object, version: Version): void {
  const read = version === 1 ? ['batchId', 'version', 'environment'] : ['batchId', 'reporter'];
  for (const key of Object.keys(body).slice(0, keysMax)) {
    if (key === 'events' || read.includes(key)) continue;
    const near = nearestNames(key, read, 1).filter((name) => !Object.hasOwn(body, name));
    const advice = version === 1 && key === 'reporter' ? '; /api/v2/events reads it.' : hint(near);
    if (advice !== '.') note(batch, key, () => `${startOf(key, 'member')} of the body is not read${advice}`);
  }
}

/** Notes that the events of a reporter do not count for its service, because the page is full. */
export function noteServiceLimit(batch: Batch): void {
  const full = `the page has ${withCommas(limits.sourcesPerPage)} other services and reporters`;
  note(
    batch,
    'service',
    () => `The service of the reporter is not read, because ${full}; the events count for the reporter.`,
  );
}

/** Notes that the version of a service does not count apart, because others have all places. */
export function noteVersionLimit(batch: Batch, service: string): void {
  const full = `${describeSent(service, 'service')} has ${limits.versionsPerService} other versions at the moment`;
  note(
    batch,
    'version',
    () =>
      `The version is not read, because ${full}; the events count for the service. Send the version of a release.`,
  );
}

/** Returns the warning of the acknowledgement; `undefined` when everything was read. */
export function describeUnread(batch: Batch): string | undefined {
  return batch.unread.size === 0 ? undefined : [...batch.unread.values()].join(' ');
}

function note({ unread }: Batch, key: string, describe: () => string): void {
  if (unread.size < unreadMax && !unread.has(key)) unread.set(key, describe());
}

/** A negative number is left alone: senders have -1 for a time that they do not know. */
function noteValues(batch: Batch, event: RawEvent): boolean {
  const [ms, message] = [latencyOf(event), messageOf(event)];
  const isLatencyWrong = ms != null && typeof ms !== 'number';
  const isMessageWrong = message != null && message !== false && typeof message !== 'string';
  if (isLatencyWrong) {
    const wanted = 'it must be a number of milliseconds, without quotes and unit';
    note(batch, 'ms', () => `The value of "ms" is not read: ${wanted}; it was ${describeSent(ms)}.`);
  }
  if (isMessageWrong) {
    const wanted = 'it must be a text';
    note(
      batch,
      'message',
      () => `The value of "message" is not read: ${wanted}; it was ${describeSent(message)}.`,
    );
  }
  return isLatencyWrong || isMessageWrong;
}

/** The fields that a key may stand for, which the event does not have. */
function meaningOf(key: string, event: RawEvent, version: Version): readonly string[] {
  const fields = meanings.get(key.toLowerCase().replaceAll(/[^a-z]/g, '')) ?? fieldsNear(key);
  return fields.filter((field) => !(field === 'service' && version === 2) && !hasField(event, field));
}

function fieldsNear(key: string): string[] {
  if (key.length < nearCharsMin) return [];
  return nearestNames(key, fieldOf.keys(), 1).flatMap((name) => fieldOf.get(name) ?? []);
}

function hasField(event: RawEvent, field: string): boolean {
  return Object.entries(event).some(([key, value]) => fieldOf.get(key) === field && value != null);
}

function hint(meant: readonly string[]): string {
  const names = meant.map((name) => `"${name}"`);
  return names.length === 0 ? '.' : `; did you mean ${listOr(names)}?`;
}

function startOf(key: string, noun: string): string {
  const text = describeSent(key, noun);
  return text.charAt(0).toUpperCase() + text.slice(1);
}
