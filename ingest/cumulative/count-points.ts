import { limits } from '../../contract/limits.js';
import type { PageId } from '../../lib/ids.js';
import { createSlices } from '../../lib/slices.js';
import { minuteMs } from '../../lib/times.js';
import type { Transaction } from '../../sql/open-postgres.js';
import { Block } from '../commit/collapse.js';
import type { Name, Source } from '../names/names.js';
import { spread } from '../otlp/spread.js';
import { beginningOf, type Choice, isPointCounted } from '../signals/decide-signal.js';
import { type Advance, advance, type CumulativeReason, type Point, type Room } from './advance.js';
import { packGroup, unpackGroup } from './pack-group.js';
import { type Group, weightOf } from './series.js';
import { countSeries, type GroupName, lockGroups, nameOf, saveGroups } from './series-store.js';

/**
 * A point whose names are registered. `at` is in milliseconds since the epoch. `choice` says for which times metrics count
 * the requests of its service.
 */
export type NamedPoint = {
  point: Point;
  source: Source;
  endpoint: Name;
  method: Name;
  status: number;
  at: number;
  choice: Choice;
};

/** Points of a page that came together. `arrival` is in milliseconds since the epoch. */
export type PointBatch = { pageId: PageId; arrival: number; points: readonly NamedPoint[] };

/** The outcome for a batch: rows and requests that count, and the points that do not, by reason. */
export type Counted = { rows: number; events: number; leftOut: Map<CumulativeReason, number> };

/** Advancing so many points takes some 5 to 10 ms. */
const pointsPerSlice = 2_000;

/**
 * Counts what is new in the points of batches since the last ones of their series, and keeps the points as the last
 * ones, in the same transaction. Batches are taken in their order. Adds the requests and the sources of them to a new
 * block, at most `requestsMax`. `now` is in milliseconds since the epoch.
 */
export async function countPoints(
  tx: Transaction,
  batches: readonly PointBatch[],
  { now, requestsMax }: { now: number; requestsMax: number },
): Promise<{ block: Block; counted: Counted[] }> {
  const groups = await loadGroups(tx, batches, now);
  const room = createRoom(requestsMax);
  for (const pageId of pagesThatGrow(batches, groups)) room.open(pageId, await countSeries(tx, pageId));
  const block = new Block();
  const spend = createSlices(pointsPerSlice);
  const counted: Counted[] = [];
  for (const batch of batches) {
    counted.push(countBatch(batch, groups, room.of(batch.pageId), block));
    const pause = spend(batch.points.length);
    if (pause !== undefined) await pause;
  }
  const seenFrom = Math.floor((now - limits.cumulativeIdleMinutes * minuteMs) / minuteMs);
  const states = [...groups.values()].map(({ name, group }) => ({ ...name, ...packGroup(group, seenFrom) }));
  await saveGroups(tx, states);
  return { block, counted };
}

type Groups = Map<string, { name: GroupName; group: Group }>;

async function loadGroups(tx: Transaction, batches: readonly PointBatch[], now: number): Promise<Groups> {
  const names = new Map<string, GroupName>();
  for (const { pageId, points } of batches)
    for (const { point } of points) {
      const name = { pageId, key: point.group };
      names.set(nameOf(name), name);
    }
  const spend = createSlices(pointsPerSlice);
  const groups: Groups = new Map();
  for (const { pageId, key, state } of await lockGroups(tx, [...names.values()], now)) {
    const name = { pageId, key };
    const group = unpackGroup(state);
    groups.set(nameOf(name), { name, group });
    const pause = spend(group.weight);
    if (pause !== undefined) await pause;
  }
  return groups;
}

function groupOf(groups: Groups, pageId: PageId, key: string): Group {
  const found = groups.get(nameOf({ pageId, key }));
  if (found === undefined) throw new Error('A group of series was not locked.');
  return found.group;
}

/** The pages with new series, or with series that take more room: counting the series of a page is for these. */
function pagesThatGrow(batches: readonly PointBatch[], groups: Groups): PageId[] {
  const growing = new Set<PageId>();
  for (const { pageId, points } of batches)
    for (const { point } of points) {
      if (growing.has(pageId)) break;
      const { hash, startMs, histogram } = point;
      const known = groupOf(groups, pageId, point.group).find(hash, startMs);
      if (known === undefined || weightOf(histogram.counts) > weightOf(known.counts)) growing.add(pageId);
    }
  return [...growing].sort();
}

function createRoom(requestsMax: number) {
  const series = new Map<PageId, number>();
  let requests = requestsMax;
  return {
    open: (pageId: PageId, held: number) => series.set(pageId, limits.cumulativeSeriesPerPage - held),
    of: (pageId: PageId): Room => ({
      takeSeries(weight) {
        const left = (series.get(pageId) ?? 0) - weight;
        if (left >= 0) series.set(pageId, left);
        return left >= 0;
      },
      takeRequests(count) {
        if (count > requests) return false;
        requests -= count;
        return true;
      },
    }),
  };
}

function countBatch(
  { pageId, arrival, points }: PointBatch,
  groups: Groups,
  room: Room,
  block: Block,
): Counted {
  const own = { rows: block.rows, events: block.events };
  const leftOut = new Map<CumulativeReason, number>();
  const callers = new Set<Source>();
  let [key, group] = ['', undefined as Group | undefined];
  for (const { point, source, endpoint, method, status, at, choice } of points) {
    if (group === undefined || point.group !== key) group = groupOf(groups, pageId, point.group);
    key = point.group;
    const advanced = leaveToSpans(advance(group, point, { arrival, room }), at, choice);
    if (typeof advanced === 'string') {
      leftOut.set(advanced, (leftOut.get(advanced) ?? 0) + 1);
      continue;
    }
    const { count, buckets } = advanced;
    block.addCounted({ source, endpoint, method, status, at, count, latencies: spread(buckets) });
    callers.add(source);
  }
  for (const caller of callers) block.addReport(caller, arrival);
  return { rows: block.rows - own.rows, events: block.events - own.events, leftOut };
}

/** The point is the last one of its series either way: the next one has only what came after it. */
function leaveToSpans(advanced: Advance, at: number, choice: Choice): Advance {
  if (typeof advanced === 'string') return advanced;
  const interval = { from: beginningOf(advanced.startedAt, at), to: at };
  return isPointCounted(choice, interval) ? advanced : 'counted_by_spans';
}
