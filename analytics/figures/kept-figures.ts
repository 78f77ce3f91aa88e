import { limits } from '../../contract/limits.js';
import { type Kept, keptAt } from '../../lib/kept.js';
import { dayMs, hourMs, minuteMs } from '../../lib/times.js';
import { columns, type EventReader, loadEventRows, Row } from '../../sql/own-store/load-event-rows.js';
import { rowType } from '../../sql/own-store/read-json-rows.js';
import type { Period } from './periods.js';
import type { Detail } from './question.js';

const hoursDays: Readonly<Record<Detail, number>> = {
  page: limits.serviceHoursDays,
  services: limits.serviceHoursDays,
  endpoints: limits.endpointHoursDays,
};

/** From when on a store has figures for long ranges, in milliseconds since the epoch; 0 when it has all that it was sent. */
export type KeptSince = { hoursFrom: number; daysFrom: number };

const sinceRow = rowType(Row({ hoursFrom: columns.timeMs, daysFrom: columns.timeMs }));
/** By store: the client of the installation's, or the one that sessions of a page's own share. A store keeps its row. */
const known = new WeakMap<object, Promise<KeptSince>>();

/** Loads what the migration wrote into the store. @throws as loadEventRows() does. */
export function loadKeptSince(clickhouse: EventReader): Promise<KeptSince> {
  const store = 'loadRows' in clickhouse ? clickhouse.store : clickhouse;
  const found = known.get(store);
  if (found !== undefined) return found;
  const loaded = loadEventRows(clickhouse, sinceRow, {
    query: `SELECT 1000 * toInt64(toUnixTimestamp(min(hours_from))) AS hoursFrom,
       1000 * toInt64(toUnixTimestamp(min(days_from))) AS daysFrom
     FROM kept_since`,
    parameters: {},
    rowsMax: 1,
  }).then(([row]) => row ?? { hoursFrom: 0, daysFrom: 0 });
  known.set(store, loaded);
  loaded.catch(() => {
    if (known.get(store) === loaded) known.delete(store);
  });
  return loaded;
}

/**
 * Returns how long figures of a detail are kept in steps of `stepMs`: the longest steps that divide it decide. Only whole steps
 * are kept, so that none has a part of its requests.
 */
export function keptInSteps(
  detail: Detail,
  stepMs: number,
  { since, now }: { since: KeptSince; now: number },
): Kept {
  const { eventRetentionDays, endpointHoursDays, serviceHoursDays } = limits;
  const minutes = keptAt(now, eventRetentionDays);
  if (stepMs % hourMs !== 0) {
    return {
      ...minutes,
      why: `By the minute, figures are kept for ${eventRetentionDays} days.`,
      others: 'Steps of whole hours (step=3600) reach back further.',
    };
  }
  const hours = keptAt(now, hoursDays[detail], hourMs);
  // An earlier version has dropped the rest, but never the last two weeks.
  const hoursFrom = Math.max(
    hours.from,
    Math.min(since.hoursFrom, keptAt(now, eventRetentionDays, hourMs).from),
  );
  const isDropped = hoursFrom > hours.from;
  const dropped = `An earlier version kept figures for ${eventRetentionDays} days.`;
  if (detail === 'page' && stepMs % dayMs === 0) {
    const from = Math.min(Math.ceil(hoursFrom / dayMs) * dayMs, since.daysFrom);
    return {
      from,
      why: isDropped ? dropped : 'Figures of the page by the day are kept for good, and begin later.',
    };
  }
  const from = hoursFrom;
  if (isDropped) return { from, why: dropped };
  if (detail === 'page') {
    return {
      from,
      why: `By the hour, figures are kept for ${serviceHoursDays} days.`,
      others: 'Those of the page by the day (step=86400) are kept for good.',
    };
  }
  const ofPage = 'those of the whole page by the day are kept for good.';
  if (detail === 'services') {
    return {
      from,
      why: `Figures of services are kept for ${serviceHoursDays} days.`,
      others: capital(ofPage),
    };
  }
  return {
    from,
    why: `Figures of endpoints are kept for ${endpointHoursDays} days.`,
    others: `Those of services are kept for ${serviceHoursDays} days, and ${ofPage}`,
  };
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Returns the shortest steps, in milliseconds, that are kept at a time. `now` is when that is asked. */
export function shortestStepMs(detail: Detail, at: number, now: number): number {
  if (at >= keptAt(now, limits.eventRetentionDays).from) return minuteMs;
  return at >= keptAt(now, hoursDays[detail], hourMs).from ? hourMs : dayMs;
}

/**
 * Returns a period whose ends are whole steps of what is kept there, and of `unitMs` at least: a period never counts less than
 * it says. Days are in UTC.
 */
export function roundPeriod(
  { from, to }: Period,
  { unitMs, detail, now }: { unitMs: number; detail: Detail; now: number },
): Period {
  const unitAt = (at: number) => Math.max(unitMs, shortestStepMs(detail, at, now));
  const [first, last] = [unitAt(from), unitAt(to)];
  return { from: Math.floor(from / first) * first, to: Math.ceil(to / last) * last };
}
