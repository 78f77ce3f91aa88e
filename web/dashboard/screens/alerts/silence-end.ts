import { fromWallTime, toWallTime } from '../../kit/form/zoned-time.js';

/** Minutes, tomorrow morning, or a time of one's own. */
export const silenceLengths = ['60', '240', 'morning', 'own'] as const;
export type SilenceLength = (typeof silenceLengths)[number];

const morning = '09:00';
const dayMs = 86_400_000;

/**
 * Returns when a silence ends, in milliseconds since the epoch: `zone` (IANA name) says when it is nine in the morning.
 * NaN while no time of one's own is entered.
 */
export function endOf(
  { length, endsAt }: { length: SilenceLength; endsAt: string },
  zone: string,
  now: number,
): number {
  if (length === 'own') return Date.parse(endsAt);
  if (length !== 'morning') return now + Number(length) * 60_000;
  const today = toWallTime(now, zone).slice(0, 10);
  const tomorrow = new Date(Date.parse(today) + dayMs).toISOString().slice(0, 10);
  return fromWallTime(`${tomorrow}T${morning}`, zone);
}
