import type { Weekday } from '../../contract/manage/schedules.js';
import type { OverrideId, UserId } from '../../lib/ids.js';

/** Who is on call, when: everything that decides it. */
export type Plan = {
  timeZone: string;
  /** From the lowest to the highest: the last one that covers a moment decides. */
  layers: readonly Layer[];
  /** They beat every layer; of two that cover a moment, the one that comes later in the list. */
  overrides: readonly Override[];
};

/** People who take over from each other. */
export type Layer = {
  name: string;
  /** In the order of their turns; null for somebody who may not be told, and whose turns cover nothing. */
  people: readonly (UserId | null)[];
  /** The time on the clock when the first person takes over, `2026-12-07T09:00`. Before, the layer covers nothing. */
  handoff: string;
  /** Days of a turn. */
  everyDays: number;
  /** When it covers; always for null. */
  hours: readonly Hours[] | null;
};

export type Hours = {
  /** Minutes of the day, 0 to 1440. `to` is on the next day unless it is after `from`. */
  fromMinute: number;
  toMinute: number;
  /** Days on which they begin; every day for null. */
  days: readonly Weekday[] | null;
};

/** Somebody who is on call from one time to another, in milliseconds since the epoch; null as in a layer. */
export type Override = { id: OverrideId; userId: UserId | null; from: number; to: number };

/** The layer or the override that puts somebody on call. */
export type Source = { layer: string } | { override: OverrideId };

/** A stretch of time, in milliseconds since the epoch; `to` is not a part of it. */
export type Stretch = { from: number; to: number };
