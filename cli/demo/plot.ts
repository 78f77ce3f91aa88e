import { minuteMs } from '../../lib/times.js';

const day = 24 * 60;

/** A time from one minute up to another, in minutes from when the page is filled. */
type Minutes = { from: number; to: number };

/**
 * The events of the week before the page is filled, so that traffic, databases, monitors and incidents tell the same
 * story. Times are minutes from then.
 */
export const plot = {
  /** Somebody guesses passwords. */
  passwords: { from: -4 * day - 610, to: -4 * day - 555 },
  /** A release of the shop. Since then the reviews of a product are slow, and more and more payments fail. */
  release: { from: -2 * day - 190, to: -2 * day - 168 },
  /** The last sign of life of the reporter of emails. */
  emailsEnd: -19 * 60 - 12,
  /** The last call of the service of notifications. */
  notificationsEnd: -5 * 60 - 21,
  /** The pool of the database of orders has no connection left, until the shop gets more of them. */
  poolOut: { from: -3 * 60 - 26, to: -2 * 60 - 24 },
  /** Search fails until its incident is resolved. */
  searchDown: -38,
} as const;

/** When the page was filled, and when its open incident was resolved: Infinity while it is open. Milliseconds since the epoch. */
export type Times = { filledAt: number; searchOpenUntil: number };

/** The time of a minute of the plot, in milliseconds since the epoch. */
export function plotTime(minutes: number, { filledAt }: Pick<Times, 'filledAt'>): number {
  return filledAt + minutes * minuteMs;
}

export function isDuring({ from, to }: Minutes, at: number, times: Pick<Times, 'filledAt'>): boolean {
  return at >= plotTime(from, times) && at < plotTime(to, times);
}

export function isSearchDown(at: number, times: Times): boolean {
  return at >= plotTime(plot.searchDown, times) && at < times.searchOpenUntil;
}

/** How much of the trouble since the release is there: 0 before it, growing to 1 when the page is filled. */
export function releaseTrouble(at: number, times: Pick<Times, 'filledAt'>): number {
  const from = plotTime(plot.release.from, times);
  if (at < from) return 0;
  return Math.min(1, 0.1 + (0.9 * (at - from)) / (times.filledAt - from));
}
