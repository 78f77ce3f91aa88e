/**
 * Numbers that look random and are the same each time: from 0 to 1, by a seed and the place in the series. Any place can be
 * asked for without those before it, so that a history is continued where it ended. The mixing is that of MurmurHash3.
 */
export function noiseAt(seed: number, place: number): number {
  let bits = Math.imul(seed, 0x9e3779b1) ^ Math.imul(place, 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return ((bits ^ (bits >>> 16)) >>> 0) / 2 ** 32;
}

/** The same with about a normal distribution around 0, with a standard deviation of 1. */
export function normalAt(seed: number, place: number): number {
  const sum = noiseAt(seed, place) + noiseAt(seed + 1, place) + noiseAt(seed + 2, place);
  return 2 * sum - 3;
}

const hourMs = 3_600_000;

/** How busy it is at a time (milliseconds since the epoch): about 1 on average, most on the afternoons of workdays. */
export function loadAt(at: number): number {
  const hour = (at / hourMs) % 24;
  const day = new Date(at).getUTCDay();
  const ofWeek = day === 0 || day === 6 ? 0.75 : 1.1;
  return ofWeek * (1 + 0.45 * Math.cos(((hour - 14) / 24) * 2 * Math.PI));
}
