import type { RequestsPoint } from '../../contract/analytics/requests.js';
import { type FigureSetting, figureLimits, type PublicFigure } from '../../contract/public/public-figures.js';
import type { PageId } from '../../lib/ids.js';
import type { EventReader } from '../../sql/own-store/load-event-rows.js';
import { loadRequests, parseRequestsQuery } from '../requests.js';
import { chooseStep, completedSteps, windows } from './choose-step.js';
import { roundSuccessRate, roundToTwoDigits } from './round.js';

/**
 * Loads the figures that a page publishes, in their order and one after the other, so that they take one connection.
 * `now` is the time in milliseconds since the epoch. Only completed steps have points, and only those with at least 100
 * requests; values are rounded.
 *
 * @throws as loadEventRows() does.
 */
export async function loadPublicFigures(
  deps: { clickhouse: EventReader },
  { id, figures }: { id: PageId; figures: readonly FigureSetting[] },
  now: number,
): Promise<PublicFigure[]> {
  const loaded: PublicFigure[] = [];
  for (const figure of figures) loaded.push(await loadFigure(deps, id, figure, now));
  return loaded;
}

async function loadFigure(
  deps: { clickhouse: EventReader },
  pageId: PageId,
  figure: FigureSetting,
  now: number,
): Promise<PublicFigure> {
  const { ms, stepsMs } = windows[figure.window];
  const [shortest = ms] = stepsMs;
  const load = async (stepMs: number): Promise<Loaded> => {
    const { from, to } = completedSteps({ ms, stepMs }, now);
    const query = parseRequestsQuery(
      {
        ...{ from: new Date(from).toISOString(), to: new Date(to).toISOString(), step: `${stepMs / 1000}` },
        service: figure.service,
        ...(figure.endpoint !== null && { endpoint: figure.endpoint }),
      },
      now,
    );
    const { series } = await loadRequests(deps, pageId, query);
    return { from, to, stepMs, points: series[0]?.points ?? [] };
  };
  const first = await load(shortest);
  const counts = first.points.map(({ count }) => count ?? 0);
  const stepMs = chooseStep(stepsMs, { from: first.from, counts });
  return describe(figure, stepMs === shortest ? first : await load(stepMs));
}

type Loaded = { from: number; to: number; stepMs: number; points: readonly RequestsPoint[] };

function describe({ title, window, shows }: FigureSetting, loaded: Loaded): PublicFigure {
  const { from, to, stepMs, points } = loaded;
  const each = (write: (point: Counted) => number | null) =>
    points.map((point) => (isEnough(point) ? write(point) : null));
  return {
    ...{ title, window, from: new Date(from).toISOString(), to: new Date(to).toISOString() },
    stepSeconds: stepMs / 1000,
    ...(shows.includes('p95') && {
      p95Ms: each(({ p95Ms }) => (p95Ms === null ? null : roundToTwoDigits(p95Ms))),
    }),
    ...(shows.includes('requests') && { requests: each(({ count }) => roundToTwoDigits(count)) }),
    ...(shows.includes('successRate') && { successRate: each(roundSuccessRate) }),
  };
}

/** A point whose step is kept and has enough requests. */
type Counted = RequestsPoint & { count: number; errors: number };

function isEnough(point: RequestsPoint): point is Counted {
  return point.count !== null && point.errors !== null && point.count >= figureLimits.requestsMin;
}
