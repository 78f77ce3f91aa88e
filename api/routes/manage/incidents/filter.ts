import { incidentTypes } from '../../../../contract/incidents.js';
import { incidentStates } from '../../../../contract/manage/incidents/incidents.js';
import type { IncidentFilter } from '../../../../control/incidents/index.js';
import { invalidValue, type Parameters } from '../../../../lib/query-parameters.js';
import { dayMs } from '../../../../lib/times.js';
import { parseDay, parseTimestamp } from '../../../../lib/timestamp.js';

/** @throws ServiceError `invalidParameter` */
export function parseFilter({
  state,
  type,
  from,
  to,
}: Parameters<'state' | 'type' | 'from' | 'to'>): Omit<IncidentFilter, 'pageId'> {
  return {
    state: parseOne('state', incidentStates, state),
    type: parseOne('type', incidentTypes, type),
    from: parseTime('from', from),
    to: parseTime('to', to),
  };
}

function parseOne<Value extends string>(
  name: string,
  known: readonly Value[],
  text: string | undefined,
): Value | undefined {
  if (text === undefined) return undefined;
  const value = known.find((one) => one === text);
  if (value === undefined) throw invalidValue(name, `one of ${known.join(', ')}`, text);
  return value;
}

/** A date is the start of that day of UTC. */
function parseTime(name: string, text: string | undefined): Date | undefined {
  if (text === undefined) return undefined;
  const time = text.includes('T') ? parseTimestamp(text) : parseDay(text);
  if (Number.isNaN(time)) {
    throw invalidValue(name, 'a time such as 2026-01-31T23:00:00Z or a date such as 2026-01-31', text);
  }
  return new Date(time);
}

/**
 * A range that begins now and is as long as it may be, unless the query says otherwise.
 *
 * @param now in milliseconds since the epoch.
 * @throws ServiceError `invalidParameter`
 */
export function parseRange(
  query: Parameters<'from' | 'to'>,
  { now, daysMax }: { now: number; daysMax: number },
): { from: Date; to: Date } {
  const from = parseTime('from', query.from) ?? new Date(now);
  const to = parseTime('to', query.to) ?? new Date(from.getTime() + daysMax * dayMs);
  const days = (to.getTime() - from.getTime()) / dayMs;
  if (days >= 0 && days <= daysMax) return { from, to };
  throw invalidValue('to', `a time up to ${daysMax} days after from`, query.to ?? '');
}
