import Type, { type Static } from 'typebox';
import { createLru } from '../../lib/lru.js';
import { hourMs, minuteMs } from '../../lib/times.js';
import { columns, type EventReader, loadEventRows, Row } from '../../sql/own-store/load-event-rows.js';
import { rowType } from '../../sql/own-store/read-json-rows.js';
import { loadKeptSince } from '../figures/kept-figures.js';
import { type Period, within } from '../figures/periods.js';
import { type Asked, kindsOf, levelsOfKind, rowsOfAsks, slicesOf, withAsks } from './asks.js';
import { loadGoodAndTotals } from './good-and-totals.js';
import { countsOfRow, type GoodAndTotal } from './sli.js';

/** An hour gets few events once it has been over for so long. */
const settledMs = 3 * hourMs;
/** Such an hour is read once in so long: an event that arrives for it later counts with the next time. */
const keptMs = 15 * minuteMs;
/** Hours of objectives that are kept for a store, of a kilobyte each: those of 6,000 objectives with the ready-made rules. */
const hoursMax = 20_000;
const minutesOfHour = 60;

/** The good and all requests of an hour, from each of its minutes until its end. `readAt` is the end of the windows then. */
type KeptHour = { readAt: number; good: Float64Array; total: Float64Array };

const numbers = Type.Array(columns.count);
const HourRow = Row({
  ask: columns.count,
  hour: columns.timeMs,
  minutes: numbers,
  goods: numbers,
  totals: numbers,
});
const hourRow = rowType(HourRow);

/** By store, as in loadKeptSince(). */
const known = new WeakMap<object, ReturnType<typeof createLru<string, KeptHour>>>();

/**
 * Loads what loadGoodAndTotals() does, for windows of whole minutes that end together and move on with the time. A window that
 * began hours ago begins within an hour whose minutes hardly change any more. These are read every 15 minutes, and everything after
 * that hour each time, because the store reads a whole day of minutes for the few of one hour. `bench/rules/looks.ts` counts the
 * rows.
 *
 * @throws as loadEventRows() does.
 */
export async function loadEndingNow(
  reader: EventReader,
  asked: readonly Asked[],
  periods: readonly Period[],
): Promise<GoodAndTotal[][]> {
  const starts = periods.map(cutHourOf);
  const rest = periods.map(({ from, to }, i) => {
    const start = starts[i];
    return { from: start === undefined ? from : start + hourMs, to };
  });
  const hours = [...new Set(starts.filter((start) => start !== undefined))];
  const to = Math.max(...periods.map((period) => period.to));
  const kept = await loadHoursOf(reader, asked, hours, to);
  const sums = await loadGoodAndTotals(reader, asked, rest);
  return sums.map((ofAsk, place) =>
    ofAsk.map(({ good, total }, i) => {
      const [start, from] = [starts[i], periods[i]?.from];
      if (start === undefined || from === undefined) return { good, total };
      const hour = kept.get(start)?.[place];
      const minute = (from - start) / minuteMs;
      return { good: good + (hour?.good[minute] ?? 0), total: total + (hour?.total[minute] ?? 0) };
    }),
  );
}

/** Returns the start of the hour within which a window begins, if it has been over for long. */
function cutHourOf({ from, to }: Period): number | undefined {
  const start = Math.floor(from / hourMs) * hourMs;
  return start < from && start + hourMs <= to - settledMs ? start : undefined;
}

/** Returns the hours of all objectives, in their order, by the start of the hour. */
async function loadHoursOf(
  reader: EventReader,
  asked: readonly Asked[],
  hours: readonly number[],
  to: number,
): Promise<Map<number, (KeptHour | undefined)[]>> {
  const store = 'loadRows' in reader ? reader.store : reader;
  const kept = known.get(store) ?? createLru<string, KeptHour>(hoursMax);
  known.set(store, kept);
  const names = asked.map((one) => JSON.stringify(one));
  const freshOf = (hour: number, name: string | undefined) => {
    const found = kept.get(`${hour} ${name}`);
    return found !== undefined && Math.abs(to - found.readAt) < keptMs ? found : undefined;
  };
  const found = new Map(hours.map((hour) => [hour, names.map((name) => freshOf(hour, name))]));
  const places = [...asked.keys()].filter((place) =>
    hours.some((hour) => found.get(hour)?.[place] === undefined),
  );
  if (places.length === 0) return found;
  const missing = hours.filter((hour) => places.some((place) => found.get(hour)?.[place] === undefined));
  const rows = await readHours(
    reader,
    places.flatMap((place) => asked[place] ?? []),
    missing,
  );
  for (const hour of missing) {
    for (const [i, place] of places.entries()) {
      const read = sumHour(rows.get(`${hour} ${i}`), to);
      found.get(hour)?.splice(place, 1, read);
      kept.set(`${hour} ${names[place]}`, read);
    }
  }
  return found;
}

/** Without requests an hour has no row. */
function sumHour(row: Static<typeof HourRow> | undefined, readAt: number): KeptHour {
  const good = new Float64Array(minutesOfHour);
  const total = new Float64Array(minutesOfHour);
  for (const [i, minute] of (row?.minutes ?? []).entries()) {
    good[minute] = row?.goods[i] ?? 0;
    total[minute] = row?.totals[i] ?? 0;
  }
  for (let minute = minutesOfHour - 2; minute >= 0; minute -= 1) {
    good[minute] = (good[minute] ?? 0) + (good[minute + 1] ?? 0);
    total[minute] = (total[minute] ?? 0) + (total[minute + 1] ?? 0);
  }
  return { readAt, good, total };
}

/** Reads the minutes of hours of objectives, by the start of the hour and the place of the objective. */
async function readHours(
  reader: EventReader,
  asked: readonly Asked[],
  hours: readonly number[],
): Promise<Map<string, Static<typeof HourRow>>> {
  const found = new Map<string, Static<typeof HourRow>>();
  const since = await loadKeptSince(reader);
  const periods = hours.map((from) => ({ from, to: from + hourMs }));
  for (const kind of kindsOf(asked)) {
    const { minutes } = levelsOfKind(kind, since);
    const { good, total } = countsOfRow(minutes, kind.isTimed ? 'ask_key' : null);
    for (const asks of slicesOf(kind)) {
      const rows = await loadEventRows(reader, hourRow, {
        query: `${withAsks}
          SELECT ask, 1000 * toInt64(toUnixTimestamp(toStartOfHour(time))) AS hour, groupArray(toMinute(time)) AS minutes,
            groupArray(sumGood) AS goods, groupArray(sumTotal) AS totals
          FROM (
            SELECT ask, minute AS time, sum(${good}) AS sumGood, sum(${total}) AS sumTotal
            FROM ${rowsOfAsks(minutes, kind)} AND ${within(minutes.time, periods)} GROUP BY ask, time
          ) GROUP BY ask, hour`,
        parameters: { asks: `[${asks.join(',')}]` },
        rowsMax: asks.length * hours.length,
      });
      for (const row of rows) found.set(`${row.hour} ${row.ask}`, row);
    }
  }
  return found;
}
