import type { TopRow, Totals, TotalsAnswer } from '../../../../contract/analytics/figures.js';
import { type ShareLimits, toneOfErrorShare } from '../../kit/error-share.js';

/** An endpoint that explains a part of the errors. */
export type Cause = { service: string; endpoint: string; now: Totals; before: Totals | null };

export type Rise = {
  /** Error shares, 0 to 1; `before` is null when there is nothing to compare with. */
  now: number;
  before: number | null;
  /** The endpoints that explain most of it, the largest part first. */
  causes: readonly Cause[];
};

/** Fewer errors are an accident rather than a change. */
const errorsMin = 10;
/** A share counts as risen when it is by so much larger, in absolute terms and as a factor. */
const riseMin = 0.002;
const riseFactorMin = 1.25;
/** Without a period before, a share from here on counts as risen. */
const shareMinAlone = 0.01;
/** Endpoints that explain less than this part of the rise are left out. */
const partMin = 0.1;
const causesMax = 3;

/**
 * Says whether the share of errors rose against the period before, or is high where there is none, and which of the
 * endpoints made it so. Returns `undefined` when it did not.
 */
export function findRise({ now, previous }: TotalsAnswer, rows: readonly TopRow[]): Rise | undefined {
  const share = now.errorShare ?? 0;
  const before = previous?.errorShare ?? null;
  const rose =
    before === null ? share >= shareMinAlone : share - before >= riseMin && share >= before * riseFactorMin;
  if (!rose || (now.errors ?? 0) < errorsMin) return undefined;
  const parts = rows
    .flatMap(toCause)
    .map((cause) => ({ cause, part: partOf(cause, now, previous) / (share - (before ?? 0)) }));
  const causes = parts
    .filter(({ part }) => part >= partMin)
    .sort((a, b) => b.part - a.part)
    .slice(0, causesMax)
    .map(({ cause }) => cause);
  return { now: share, before, causes };
}

/** By how much the errors of an endpoint raised the share of all requests. */
function partOf({ now, before }: Cause, all: Totals, allBefore: Totals | null): number {
  const requestsBefore = allBefore?.requests ?? 0;
  const earlier = requestsBefore > 0 ? (before?.errors ?? 0) / requestsBefore : 0;
  return (now.errors ?? 0) / Math.max(1, all.requests ?? 0) - earlier;
}

/** Returns the colour of a rise, by the worst share in it. A rise to a share that is still good has none. */
export function toneOfRise({ now, causes }: Rise, limits: ShareLimits): 'bad' | 'warn' | 'none' {
  const shares = [now, ...causes.map((cause) => cause.now.errorShare ?? 0)];
  const tone = toneOfErrorShare(Math.max(...shares), limits);
  return tone === 'good' ? 'none' : tone;
}

function toCause({ service, endpoint, now, previous }: TopRow): Cause[] {
  return service === null || endpoint === null ? [] : [{ service, endpoint, now, before: previous }];
}
