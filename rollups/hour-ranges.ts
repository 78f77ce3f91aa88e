import type { MonitorId, PageId } from '../lib/ids.js';

/** Hours of a monitor whose points must be computed, counted since 1970, `to` exclusive. */
export type HourRange = { pageId: PageId; monitorId: MonitorId; from: number; to: number };

/** With a check every 10 s these are 1.8 million checks, which ClickHouse computes in 2 s and about 200 MB. */
const batchHoursMax = 5_000;
/** Keeps the ranges of one batch in a statement below 200 kB. */
const batchRangesMax = 1_500;

/** Collects ranges by monitor and joins them. */
export type HourRanges = {
  add(range: HourRange): void;
  /** Ranges ordered by start. Ranges of one monitor neither overlap nor touch. */
  list(): HourRange[];
};

export function collectHourRanges(): HourRanges {
  const byMonitor = new Map<MonitorId, HourRange[]>();
  return {
    add(range) {
      if (range.from >= range.to) return;
      const known = byMonitor.get(range.monitorId) ?? [];
      const last = known.at(-1);
      // Most ranges arrive in order. Without this, an import would hold one range for each of its days.
      if (last !== undefined && range.from >= last.from && range.from <= last.to) {
        last.to = Math.max(last.to, range.to);
      } else {
        known.push({ ...range });
      }
      byMonitor.set(range.monitorId, known);
    },
    list: () => [...byMonitor.values()].flatMap(mergeRanges).sort((a, b) => a.from - b.from),
  };
}

function mergeRanges(ranges: HourRange[]): HourRange[] {
  const merged: HourRange[] = [];
  for (const range of ranges.sort((a, b) => a.from - b.from)) {
    const last = merged.at(-1);
    if (last !== undefined && range.from <= last.to) last.to = Math.max(last.to, range.to);
    else merged.push(range);
  }
  return merged;
}

/**
 * Packs ranges into batches for one query each: bounded in hours, with one range per monitor, and close together in
 * time, because a query reads from its first hour to its last.
 *
 * @param ranges ordered by start.
 */
export function packBatches(ranges: readonly HourRange[]): HourRange[][] {
  const batches: HourRange[][] = [];
  let batch: HourRange[] = [];
  let hours = 0;
  let monitors = new Set<MonitorId>();
  for (const range of ranges.flatMap(splitRange)) {
    const length = range.to - range.from;
    const isFull = hours + length > batchHoursMax || batch.length === batchRangesMax;
    if (batch.length > 0 && (isFull || monitors.has(range.monitorId) || isFarFrom(batch[0], range))) {
      batches.push(batch);
      [batch, hours, monitors] = [[], 0, new Set()];
    }
    batch.push(range);
    hours += length;
    monitors.add(range.monitorId);
  }
  return batch.length > 0 ? [...batches, batch] : batches;
}

function splitRange(range: HourRange): HourRange[] {
  const parts: HourRange[] = [];
  for (let { from } = range; from < range.to; from += batchHoursMax) {
    parts.push({ ...range, from, to: Math.min(from + batchHoursMax, range.to) });
  }
  return parts;
}

const nearHours = 7 * 24;

function isFarFrom(first: HourRange | undefined, range: HourRange): boolean {
  return first !== undefined && range.from - first.from > nearHours;
}
