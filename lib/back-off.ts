/**
 * Pauses before the second to the eighth attempt, in seconds: about a day in all. The first ones are short,
 * because most failures are a restart; the last ones leave a receiver's team a night.
 */
const pausesSeconds = [5, 60, 600, 3_600, 10_800, 21_600, 43_200] as const;

/**
 * When to try again after `attempts` failed ones, in milliseconds since the epoch; undefined when that was the
 * last. Up to a fifth more, at random, so that what failed together is not repeated together.
 */
export function nextAttemptAt(
  attempts: number,
  now: number,
  random: () => number = Math.random,
): number | undefined {
  const seconds = pausesSeconds[attempts - 1];
  return seconds === undefined ? undefined : now + Math.round(seconds * 1000 * (1 + 0.2 * random()));
}
