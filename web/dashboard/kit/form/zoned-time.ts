/**
 * Times as a clock on the wall of a time zone shows them, `2026-03-29T02:30`, and as the API has them. The browser knows
 * the zones; it has no function from the clock to the time.
 */

/** The clock of a zone (IANA name) at a time in milliseconds since the epoch, as an input for dates and times has it. */
export function toWallTime(at: number, zone: string): string {
  const parts = Object.fromEntries(
    new Intl.DateTimeFormat('en-US', {
      ...{ timeZone: zone, hourCycle: 'h23', year: 'numeric', month: '2-digit', day: '2-digit' },
      ...{ hour: '2-digit', minute: '2-digit' },
    } as const)
      .formatToParts(at)
      .map(({ type, value }) => [type, value]),
  );
  const year = (parts['year'] ?? '').padStart(4, '0');
  return `${year}-${parts['month']}-${parts['day']}T${parts['hour']}:${parts['minute']}`;
}

/**
 * The time at which the clock of a zone shows this, in milliseconds since the epoch; NaN for what is no time. Where the
 * clock shows it twice, the first time; where it skips it, as much later as the clock skips.
 */
export function fromWallTime(text: string, zone: string): number {
  const asUtc = Date.parse(`${text}Z`);
  if (Number.isNaN(asUtc)) return asUtc;
  const offsetAt = (at: number) => Date.parse(`${toWallTime(at, zone)}Z`) - Math.floor(at / 60_000) * 60_000;
  // The offset of a zone changes by a day at most, and not twice within two days.
  const [before, after] = [offsetAt(asUtc - 86_400_000), offsetAt(asUtc + 86_400_000)];
  const [first, second] = [asUtc - before, asUtc - after];
  if (toWallTime(first, zone) === text) return first;
  return toWallTime(second, zone) === text ? second : first;
}
