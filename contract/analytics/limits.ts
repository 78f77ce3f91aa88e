import { limits } from '../limits.js';

/** Limits of the parameters of the analytics routes. */
export const analyticsLimits = {
  stepSecondsMin: 60,
  pointsPerSeries: 1_500,
  /** Points of all series of one answer together, about 4 MB of JSON. */
  points: 30_000,
  seriesDefault: 20,
  series: 200,
  messagesDefault: 100,
  messages: 1_000,
  messageGroupsDefault: 50,
  messageGroups: 200,
  /** Endpoints that a group of messages names. */
  endpointsPerGroup: 5,
  /** Newest messages of a range that are grouped, in all; and how many are searched for those that pass the filters. */
  messagesGrouped: 20_000,
  messagesSearched: 300_000,
  failuresDefault: 50,
  failures: 200,
  failureGroupsDefault: 50,
  failureGroups: 200,
  versionsPerGroup: 5,
  /** Newest rows of samples of a range that are searched: each has up to 20 stacks of 4 kB. */
  failureRowsSearched: 20_000,
  callersDefault: 200,
  callers: 2_000,
  /** Points of all reporters of one answer together, and their minutes: 200 reporters over two weeks, 2,000 over a day. */
  callPoints: 100_000,
  callMinutes: 4_100_000,
  windowSecondsMin: 60,
  windowSecondsDefault: 3_600,
  windowSecondsMax: limits.eventRetentionDays * 86_400,
  /** A reporter with fewer requests is marked `thin`. */
  thinRequests: 100,
  /**
   * Reads in one process: of all pages that use the installation's ClickHouse, of all pages with a store of their own, of
   * one page, and those of one page that wait. A store of a page's own that hangs holds two reads, so those of 32 pages
   * may hang before another page with such a store waits.
   */
  reads: 6,
  readsOfOwnStores: 64,
  readsPerPage: 2,
  readsWaitingPerPage: 30,
  /** How long a read waits for its turn: for a few usual ones of the page, and not for one that takes its 20 s. */
  readWaitSecondsMax: 5,
} as const;
