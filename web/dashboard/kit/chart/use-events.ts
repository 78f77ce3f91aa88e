import { useMemo } from 'preact/hooks';
import type { Deployment } from '../../../../contract/manage/deployments.js';
import type { ListedIncident } from '../../../../contract/manage/incidents/incidents.js';
import { endsOf, type Range } from '../../address/range.js';
import { type Format, useFormat } from '../../format.js';
import { pagePath } from '../../reads/api-path.js';
import { type Read, useRead } from '../../reads/use-read.js';
import { useTexts } from '../../texts.js';
import type { ChartMark, ChartSpan } from './model.js';
import { type ChartTexts, chartTexts } from './texts.js';

/** The `marks` and `shaded` that charts draw for deployments, incidents and maintenance. */
export type ChartEvents = { marks: readonly ChartMark[]; shaded: readonly ChartSpan[] };

type Items<Item> = { items: readonly Item[] };
type Ends = { from: number; to: number };

/** Events of a page around a range, besides its figures. */
export type Happenings = {
  /** Incidents and maintenance that began since a day before the range, latest first. */
  incidents: Read<Items<ListedIncident>>;
  /** Versions that came to a service, or to all of them, latest first. */
  deployments: Read<Items<Deployment>>;
};

const dayMs = 86_400_000;
const everyMs = 60_000;
const incidentsMax = '50';
/** More marks would hide the figures. */
const deploymentsMax = '100';

/** Reads what happened in a range; deployments are those of one service where it is given. */
export function useHappenings(slug: string, range: Range, service?: string): Happenings {
  // Whole days keep the path, and so the known answer, for a day.
  const ends = useMemo(() => {
    const { from, to } = endsOf(range, Date.now()) ?? { from: Date.now(), to: Date.now() };
    const dayOf = (at: number) => new Date(Math.floor(at / dayMs) * dayMs).toISOString();
    return { before: dayOf(from - dayMs), from: dayOf(from), to: dayOf(to + dayMs) };
  }, [range.from, range.to]);
  const { before, from, to } = ends;
  return {
    incidents: useRead(pagePath(slug, '/incidents', { from: before, limit: incidentsMax }), { everyMs }),
    deployments: useRead(pagePath(slug, '/deployments', { from, to, service, limit: deploymentsMax }), {
      everyMs,
    }),
  };
}

/**
 * Returns the deployments and the incidents that began in the time of an answer as marks, and the maintenance that touches
 * that time as shaded spans. None without the answer.
 */
export function useEvents(
  { incidents, deployments }: Happenings,
  answer: { from: string; to: string } | undefined,
): ChartEvents {
  const texts = useTexts(chartTexts);
  const format = useFormat();
  const [began, came, from, to] = [incidents.data?.items, deployments.data?.items, answer?.from, answer?.to];
  return useMemo(() => {
    if (from === undefined || to === undefined) return none;
    const ends = { from: Date.parse(from), to: Date.parse(to) };
    const { marks, shaded } = toEvents(began ?? [], ends);
    return { marks: [...toMarks(came ?? [], ends, { texts, format }), ...marks], shaded };
  }, [began, came, from, to, texts, format]);
}

const none: ChartEvents = { marks: [], shaded: [] };

/** Returns a mark for each deployment in a time, such as `checkout 2.4.1, 14:05, announced`. */
export function toMarks(
  deployments: readonly Deployment[],
  { from, to }: Ends,
  { texts, format }: { texts: Pick<ChartTexts, 'announced' | 'firstSeen'>; format: Pick<Format, 'minute'> },
): ChartMark[] {
  return deployments.flatMap(({ service, version, at, announcedAt }) => {
    const came = Date.parse(at);
    if (came < from || came >= to) return [];
    const say = announcedAt === null ? texts.firstSeen : texts.announced;
    return { at: came, label: say({ service, version, time: format.minute(came) }), kind: 'deploy' };
  });
}

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
