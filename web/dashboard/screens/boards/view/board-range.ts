import { type Range, rangeUpToNow } from '../../../address/range.js';

const unitsSeconds = { m: 60, h: 3_600, d: 86_400 } as const;

/** Returns the usual range of a board, such as `24h`, in the form in which the picker offers it. */
export function rangeOfBoard(text: string): Range {
  const [, count = '', unit = ''] = /^(\d+)([mhd])$/.exec(text) ?? [];
  const seconds = Object.entries(unitsSeconds).find(([name]) => name === unit)?.[1];
  return seconds === undefined ? rangeUpToNow(unitsSeconds.d) : rangeUpToNow(Number(count) * seconds);
}
