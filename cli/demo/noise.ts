import { hourMs } from '../../lib/times.js';

/**
 * Returns a number from 0 to 1 that looks random and depends only on the seed and the place in the series. No place needs
 * those before it, so that a history can continue where it ended. It mixes as MurmurHash3 does.
 */
export function noiseAt(seed: number, place: number): number {
  let bits = Math.imul(seed, 0x9e3779b1) ^ Math.imul(place, 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return ((bits ^ (bits >>> 16)) >>> 0) / 2 ** 32;
}

/** Returns a number that is distributed about normally around 0, with a standard deviation of 1. */
export function normalAt(seed: number, place: number): number {
  const sum = noiseAt(seed, place) + noiseAt(seed + 1, place) + noiseAt(seed + 2, place);
  return 2 * sum - 3;
}

/** Returns the load at a time (milliseconds since the epoch): about 1 on average, highest on the afternoons of workdays. */
export function loadAt(at: number): number {
  const hour = (at / hourMs) % 24;
  const day = new Date(at).getUTCDay();
  const ofWeek = day === 0 || day === 6 ? 0.75 : 1.1;
  return ofWeek * (1 + 0.45 * Math.cos(((hour - 14) / 24) * 2 * Math.PI));
}
