import type { Totals, TotalsAnswer } from '../../../../contract/analytics/figures.js';
import { useFormat, writeKnown } from '../../format.js';
import { classOfErrorShare } from '../../kit/error-share.js';
import { Figure } from '../../kit/figure.js';
import { ReadView, Skeleton } from '../../kit/states.js';
import { useShareLimits, useShareWords } from '../../kit/use-share-limits.js';
import type { Read } from '../../reads/use-read.js';
import { useTexts } from '../../texts.js';
import { trafficTexts } from './texts.js';

const figuresHeightPx = 92;

/** The figures of the place, each with its change against the period before. */
export function TrafficFigures({ read }: { read: Read<TotalsAnswer> }) {
  return (
    <ReadView read={read} skeleton={<Skeleton height={figuresHeightPx} />}>
      {(totals) => <FigureRow totals={totals} />}
    </ReadView>
  );
}

function FigureRow({ totals: { now, previous } }: { totals: TotalsAnswer }) {
  const texts = useTexts(trafficTexts);
  const format = useFormat();
  const limits = useShareLimits();
  const words = useShareWords();
  const changeOf = (pick: (totals: Totals) => number | null, isGoodWhen: 'lower' | 'either' = 'lower') => ({
    now: pick(now),
    before: previous && pick(previous),
    isGoodWhen,
    isKept: previous !== null,
  });
  return (
    <dl class="figures" aria-label={texts.figures}>
      <Figure
        title={texts.requests}
        value={writeKnown(now.requestsPerSecond, format.perSecond)}
        change={changeOf(({ requestsPerSecond }) => requestsPerSecond, 'either')}
      >
        <Below>
          {writeKnown(now.requests, (count) => texts.requestCount({ count: format.count(count) }))}
        </Below>
      </Figure>
      <Figure
        title={texts.errorShare}
        value={writeKnown(now.errorShare, format.share)}
        valueClass={classOfErrorShare(now.errorShare, limits)}
        help={words}
        change={changeOf(({ errorShare }) => errorShare)}
      >
        <Below>{writeKnown(now.errors, (count) => texts.errorCount({ count: format.count(count) }))}</Below>
      </Figure>
      <Figure
        title={texts.clientErrorShare}
        value={writeKnown(clientErrorShareOf(now), format.share)}
        change={changeOf(clientErrorShareOf)}
      >
        <Below>
          {writeKnown(now.clientErrors, (count) => texts.clientErrorCount({ count: format.count(count) }))}
        </Below>
      </Figure>
      <Figure
        title={texts.median}
        value={writeKnown(now.p50Ms, format.ms)}
        change={changeOf(({ p50Ms }) => p50Ms)}
      >
        {now.averageMs !== null && <Below>{texts.average({ ms: format.ms(now.averageMs) })}</Below>}
      </Figure>
      <Figure
        title={texts.p95}
        value={writeKnown(now.p95Ms, format.ms)}
        change={changeOf(({ p95Ms }) => p95Ms)}
      />
      <Figure
        title={texts.p99}
        value={writeKnown(now.p99Ms, format.ms)}
        change={changeOf(({ p99Ms }) => p99Ms)}
      />
    </dl>
  );
}

/** The parts of the figure, in small letters on a line of their own. */
function Below({ children }: { children: string | undefined }) {
  return children === undefined ? null : <span class="figure-below">{children}</span>;
}

function clientErrorShareOf({ clientErrors, requests }: Totals): number | null {
  return requests === null || clientErrors === null || requests === 0 ? null : clientErrors / requests;
}
