import { useMemo } from 'preact/hooks';
import type { ListedIncident } from '../../../../contract/manage/incidents/incidents.js';
import { endsOf, type Range } from '../../address/range.js';
import { pagePath } from '../../reads/api-path.js';
import { type Read, useRead } from '../../reads/use-read.js';
import type { ChartMark, ChartSpan } from './model.js';

/** The `marks` and `shaded` that charts draw for incidents and maintenance. */
export type ChartEvents = { marks: readonly ChartMark[]; shaded: readonly ChartSpan[] };

type Incidents = { items: readonly ListedIncident[] };
type Ends = { from: number; to: number };

const dayMs = 86_400_000;
const everyMs = 60_000;

/** Incidents and maintenance of a page that began since a day before the range, latest first. */
export function useIncidents(slug: string, range: Range): Read<Incidents> {
  // Whole days keep the path, and so the known answer, for a day.
  const from = useMemo(() => {
    const start = (endsOf(range, Date.now())?.from ?? Date.now()) - dayMs;
    return new Date(Math.floor(start / dayMs) * dayMs).toISOString();
  }, [range.from, range.to]);
  return useRead<Incidents>(pagePath(slug, '/incidents', { from, limit: '50' }), { everyMs });
}

/**
 * Returns the incidents that began in the time of an answer as marks, and the maintenance that touches that time as
 * shaded spans. None without the answer or the incidents.
 */
export function useEvents(
  { data }: Pick<Read<Incidents>, 'data'>,
  answer: { from: string; to: string } | undefined,
): ChartEvents {
  const [incidents, from, to] = [data?.items, answer?.from, answer?.to];
  return useMemo(() => {
    if (incidents === undefined || from === undefined || to === undefined) return none;
    return toEvents(incidents, { from: Date.parse(from), to: Date.parse(to) });
  }, [incidents, from, to]);
}

const none: ChartEvents = { marks: [], shaded: [] };

function toEvents(incidents: readonly ListedIncident[], { from, to }: Ends): ChartEvents {
  const known = incidents.map((incident) => ({ ...incident, at: Date.parse(incident.startedAt) }));
  return {
    marks: known
      .filter(({ type, at }) => type === 'incident' && at >= from && at < to)
      .map(({ title, at }) => ({ at, label: title, kind: 'incident' })),
    shaded: known
      .filter(({ type }) => type === 'maintenance')
      .map(({ title, at, resolvedAt, scheduledEndAt }) => {
        const end = resolvedAt ?? scheduledEndAt;
        const until = end === null ? to : Math.min(to, Date.parse(end));
        return { from: Math.max(from, at), to: until, label: title, kind: 'maintenance' as const };
      })
      .filter((span) => span.from < span.to),
  };
}
