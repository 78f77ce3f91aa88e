import type { ViewContext } from './view-context.js';

const paths = {
  up: 'M20 6.5 9.5 17 4 11.5',
  degraded: 'M4 7l6 6 4-4 6 7M20 11v5h-5',
  partial: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 3v18M8 5v14',
  down: 'M6 6l12 12M18 6 6 18',
  incident: 'M12 4v10M12 19.5v.01',
  maintenance:
    'M14.5 6.5a4.5 4.5 0 0 1 5.8-1.6l-2.9 2.9 1.8 1.8 2.9-2.9a4.5 4.5 0 0 1-6.2 5.5L8 20a2.3 2.3 0 0 1-3.3-3.3l7.8-7.8',
  paused: 'M8.5 5v14M15.5 5v14',
  waiting: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 7.5V12l3 2',
  stale: 'M8.5 9a3.5 3.5 0 1 1 5.2 3.1c-1.1.6-1.7 1.3-1.7 2.4M12 19v.01',
  unknown: 'M7 12h10',
  empty: 'M5 12h14',
  lock: 'M6 11h12v9H6zM8.5 11V7.5a3.5 3.5 0 0 1 7 0V11',
  mail: 'M3 6h18v13H3zM3.5 6.5 12 13l8.5-6.5',
  chat: 'M4 5h16v11h-9l-5 4v-4H4z',
  feed: 'M5 11a8 8 0 0 1 8 8M5 5a14 14 0 0 1 14 14M5.5 18.5v.01',
} as const;

export type IconKind = keyof typeof paths;

/** Decoration: a text beside the icon says the same. */
export function Icon({ kind }: { kind: IconKind }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={paths[kind]} />
    </svg>
  );
}

/**
 * A time by the clock of the page, with the zone; the script writes it in the viewer's zone.
 *
 * @param at milliseconds since 1970, or an ISO 8601 text
 * @param form `moment` is a time of day, with the day unless it is today. `ago` is written by the script as how long ago
 *   it is
 * @param since for a `time`: the time before it in the text, on the same day of the page. Where the two are on different days
 *   for the viewer, the script writes the day as well
 */
export function Time({ context, at, form = 'datetime', since }: TimeProps) {
  const ms = typeof at === 'string' ? Date.parse(at) : at;
  return (
    <time datetime={new Date(ms).toISOString()} data-local={form} data-since={since}>
      {formatTime(context, ms, form)}
    </time>
  );
}
type TimeForm = 'datetime' | 'time' | 'moment' | 'ago';
type TimeProps = { context: ViewContext; at: number | string; form?: TimeForm; since?: string };

function formatTime({ format, view }: ViewContext, ms: number, form: TimeForm): string {
  if (form === 'time') return format.time(ms);
  // As short as what the script writes, so that nothing moves.
  return form === 'datetime' ? format.dateTime(ms) : format.moment(ms, view.now);
}

/** A day of UTC, such as `2026-11-21`, which is the same for every viewer. */
export function Day({ context, day }: { context: ViewContext; day: string }) {
  return <time datetime={day}>{context.format.day(day)}</time>;
}
