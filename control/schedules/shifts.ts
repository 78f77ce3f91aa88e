import type { UserId } from '../../lib/ids.js';
import { dayMs } from '../../lib/times.js';
import type { Plan, Source, Stretch } from './plan.js';
import { type Turn, turnsOf, whoCovers } from './turns.js';
import { type WallClock, wallClockOf } from './wall-clock.js';

/** A stretch in which the same person is on call for the same reason, or nobody is: then both are null. */
export type PlannedShift = Stretch & ({ userId: UserId; source: Source } | { userId: null; source: null });

/**
 * Returns who is on call at a moment, in milliseconds since the epoch, and why; `undefined` in a gap. Overrides beat
 * layers, and the highest layer that covers the moment decides. Turns of people who may not be told cover nothing, so
 * that what is below them decides.
 */
export function onCallAt(plan: Plan, at: number): { userId: UserId; source: Source } | undefined {
  for (const { id, userId, from, to } of plan.overrides.toReversed()) {
    if (userId !== null && from <= at && at < to) return { userId, source: { override: id } };
  }
  const clock = clockFor(plan, { from: at, to: at });
  for (const layer of plan.layers.toReversed()) {
    const userId = whoCovers(layer, clock, at);
    if (userId !== undefined) return { userId, source: { layer: layer.name } };
  }
  return undefined;
}

/**
 * Returns the shifts within a range, in order: every moment is in exactly one. Shifts that the range cuts are cut. The
 * caller bounds the range, by which the work grows.
 */
export function shiftsOf(plan: Plan, range: Stretch): PlannedShift[] {
  const shifts: PlannedShift[] = [];
  const free: Stretch[] = range.from < range.to ? [{ from: range.from, to: range.to }] : [];
  for (const { source, turns } of coversByRank(plan, range)) {
    const [first, last] = [turns[0], turns.at(-1)];
    if (first === undefined || last === undefined) continue;
    // An override touches few of the stretches that are free; the others stay where they are.
    const start = free.findIndex(({ to }) => to > first.from);
    const end = free.findLastIndex(({ from }) => from < last.to) + 1;
    if (start === -1 || start >= end) continue;
    const left: Stretch[] = [];
    const taken = takeFrom(free.slice(start, end), turns, left);
    for (const { from, to, userId } of taken) shifts.push({ from, to, userId, source });
    free.splice(start, end - start, ...left);
  }
  for (const gap of free) shifts.push({ ...gap, userId: null, source: null });
  return merge(shifts.sort((a, b) => a.from - b.from));
}

/**
 * Returns what each layer covers by itself within a range, from the lowest to the highest, each in order. The caller bounds
 * the range.
 */
export function coversOf(plan: Plan, range: Stretch): { name: string; turns: Turn[] }[] {
  const clock = clockFor(plan, range);
  return plan.layers.map((layer) => ({ name: layer.name, turns: turnsOf(layer, clock, range) }));
}

/** The clock of a plan for a range, and for the turns that began before it or end behind it. */
function clockFor({ timeZone, layers }: Plan, { from, to }: Stretch): WallClock {
  const longest = Math.max(1, ...layers.map(({ everyDays }) => everyDays)) * dayMs;
  return wallClockOf(timeZone, { from: from - longest, to: to + longest });
}

/** Overrides and layers that cover parts of a range, the strongest first. */
function* coversByRank(plan: Plan, range: Stretch): Generator<{ source: Source; turns: Turn[] }> {
  for (const { id, userId, ...stretch } of plan.overrides.toReversed()) {
    const [from, to] = [Math.max(stretch.from, range.from), Math.min(stretch.to, range.to)];
    if (userId !== null && from < to) yield { source: { override: id }, turns: [{ from, to, userId }] };
  }
  const clock = clockFor(plan, range);
  for (const layer of plan.layers.toReversed()) {
    yield { source: { layer: layer.name }, turns: turnsOf(layer, clock, range) };
  }
}

/** Returns the parts of `turns` that are free, and adds what stays free to `left`. All are in order, without overlaps. */
function takeFrom(free: readonly Stretch[], turns: readonly Turn[], left: Stretch[]): Turn[] {
  const taken: Turn[] = [];
  let at = 0;
  for (const { from, to } of free) {
    while (at < turns.length && (turns[at]?.to ?? 0) <= from) at += 1;
    let begin = from;
    for (let next = at; next < turns.length; next += 1) {
      const turn = turns[next];
      if (turn === undefined || turn.from >= to) break;
      const part = { from: Math.max(turn.from, from), to: Math.min(turn.to, to) };
      taken.push({ ...part, userId: turn.userId });
      if (begin < part.from) left.push({ from: begin, to: part.from });
      begin = part.to;
    }
    if (begin < to) left.push({ from: begin, to });
  }
  return taken;
}

function merge(shifts: readonly PlannedShift[]): PlannedShift[] {
  const merged: PlannedShift[] = [];
  for (const shift of shifts) {
    const before = merged.at(-1);
    if (before !== undefined && before.to === shift.from && isSame(before, shift)) before.to = shift.to;
    else merged.push({ ...shift });
  }
  return merged;
}

function isSame(a: PlannedShift, b: PlannedShift): boolean {
  if (a.source === null || b.source === null) return a.source === b.source;
  if (a.userId !== b.userId) return false;
  return 'layer' in a.source
    ? 'layer' in b.source && a.source.layer === b.source.layer
    : 'override' in b.source && a.source.override === b.source.override;
}

/** Who is on call, until when, and who is next. */
export type Standing = {
  now: { userId: UserId; source: Source; until: number | null } | null;
  next: { userId: UserId; from: number } | null;
};

/** Most plans change hands within a week; only the others cost a longer look. */
const lookAheadDays = [8, 60, 400];

/**
 * Returns who is on call at a moment, until when, and who takes over next. Another reason for the same person changes
 * nothing. `until` is null, and so is `next`, for what is more than 400 days ahead.
 */
export function standingAt(plan: Plan, at: number): Standing {
  const onCall = onCallAt(plan, at);
  let until: number | null = null;
  let next: Standing['next'] = null;
  for (const days of lookAheadDays) {
    const shifts = shiftsOf(plan, { from: at, to: at + days * dayMs });
    until ??= shifts.find(({ userId }) => userId !== (onCall?.userId ?? null))?.from ?? null;
    const end = until;
    const other =
      end === null ? undefined : shifts.find(({ from, userId }) => from >= end && userId !== null);
    if (other !== undefined && other.userId !== null) next = { userId: other.userId, from: other.from };
    if (next !== null) break;
  }
  return { now: onCall === undefined ? null : { ...onCall, until }, next };
}
