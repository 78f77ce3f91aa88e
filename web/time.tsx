import type { PageContext } from './page-context.js';

/**
 * A moment, in UTC with the zone named; the script writes it in the viewer's zone.
 *
 * @param at milliseconds since 1970, or an ISO-8601 text
 * @param since of a `time`: what it stands behind, on the same day of UTC; where it is another day for the viewer, the
 *   script writes the day as well
 */
export function Time({ page, at, form = 'datetime', since }: TimeProps) {
  const ms = typeof at === 'string' ? Date.parse(at) : at;
  return (
    <time datetime={new Date(ms).toISOString()} data-local={form} data-since={since}>
      {form === 'time' ? page.format.time(ms) : page.format.dateTime(ms)}
    </time>
  );
}
type TimeProps = { page: PageContext; at: number | string; form?: 'datetime' | 'time'; since?: string };

/** A day of UTC, such as `2026-11-21`, which is the same for every viewer. */
export function Day({ page, day }: { page: PageContext; day: string }) {
  return <time datetime={day}>{page.format.day(day)}</time>;
}
