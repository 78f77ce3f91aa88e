import type { ComponentChildren } from 'preact';
import type { Totals, TotalsAnswer } from '../../../../contract/analytics/figures.js';
import type { RequestsAnswer } from '../../../../contract/analytics/requests.js';
import type { OverviewMonitor } from '../../../../contract/manage/overview.js';
import { useAddress } from '../../address/use-address.js';
import { type Format, useFormat, writeKnown } from '../../format.js';
import { isCounted, wholePoints } from '../../kit/counted-steps.js';
import { type ShareTone, toneOfErrorShare } from '../../kit/error-share.js';
import { Change, type FigureProps } from '../../kit/figure.js';
import { NotKept } from '../../kit/not-kept.js';
import { Sparkline } from '../../kit/sparkline.js';
import { ErrorNotice, Skeleton, Stale } from '../../kit/states.js';
import { kitTexts } from '../../kit/texts.js';
import { useShareLimits, useShareWords } from '../../kit/use-share-limits.js';
import { usePage } from '../../session.js';
import { pathOfScreen } from '../../shell/screens.js';
import { useTexts } from '../../texts.js';
import { type OverviewTexts, overviewTexts } from './texts.js';
import type { OverviewReads } from './use-overview.js';

/** The page in four figures; each leads to where it comes from. */
export function Tiles({ totals, series, overview }: OverviewReads) {
  const texts = useTexts(overviewTexts);
  const monitors = overview.data?.monitors;
  return (
    <section aria-label={texts.figures}>
      {totals.data === undefined && totals.error !== undefined && (
        <ErrorNotice error={totals.error} retry={totals.retry} />
      )}
      {totals.data !== undefined && totals.error !== undefined && (
        <Stale read={totals} error={totals.error} />
      )}
      {totals.data?.now.requests === null && totals.data.keptFrom !== null && (
        <NotKept keptFrom={totals.data.keptFrom} />
      )}
      <dl class={totals.isOlder ? 'tiles older' : 'tiles'}>
        {totals.data !== undefined && <TrafficTiles totals={totals.data} series={series.data} />}
        {totals.data === undefined && totals.error === undefined && [1, 2, 3].map((n) => <Waiting key={n} />)}
        {monitors !== undefined && <MonitorsTile monitors={monitors} />}
        {monitors === undefined && overview.error === undefined && <Waiting />}
      </dl>
    </section>
  );
}

/** The shape of a tile. */
function Waiting() {
  return (
    <div class="tile">
      <dt class="visually-hidden">–</dt>
      <dd>
        <Skeleton height={86} />
      </dd>
    </div>
  );
}

type TrafficTilesProps = { totals: TotalsAnswer; series: RequestsAnswer | undefined };

function TrafficTiles({ totals: { now, previous }, series }: TrafficTilesProps) {
  const [limits, words] = [useShareLimits(), useShareWords()];
  const isKept = previous !== null;
  const texts = useTexts(overviewTexts);
  const { slug } = usePage();
  const { to } = useAddress();
  const format = useFormat();
  const points = wholePoints(series);
  const traffic = (order?: string) => to(pathOfScreen(slug, 'traffic'), { order });
  const hasRequests = now.requests !== 0;
  return (
    <>
      <Tile
        title={texts.requests}
        href={traffic()}
        value={hasRequests ? writeKnown(now.requestsPerSecond, format.perSecond) : undefined}
        change={{
          now: now.requestsPerSecond,
          before: previous?.requestsPerSecond ?? null,
          isGoodWhen: 'either',
          isKept,
        }}
        note={writeKnown(now.requests, (count) => texts.total({ requests: format.count(count) }))}
      >
        <Line title={texts.requests} values={points.map(({ count }) => (count === 0 ? null : count))} />
      </Tile>
      <Tile
        title={texts.errorShare}
        href={traffic('errors')}
        value={now.errorShare === null ? undefined : format.share(now.errorShare)}
        change={{ now: now.errorShare, before: previous?.errorShare ?? null, isGoodWhen: 'lower', isKept }}
        note={errorsOf(now, texts, format)}
        tone={toneOfErrorShare(now.errorShare, limits)}
        help={words}
      >
        <Line
          title={texts.errorShare}
          values={points.map((point) => (isCounted(point) ? point.errors / point.count : null))}
        />
      </Tile>
      <Tile
        title={texts.p95}
        href={traffic('p95')}
        value={now.p95Ms === null ? undefined : format.ms(now.p95Ms)}
        change={{ now: now.p95Ms, before: previous?.p95Ms ?? null, isGoodWhen: 'lower', isKept }}
        note={now.p50Ms === null ? undefined : texts.p50({ ms: format.ms(now.p50Ms) })}
      >
        <Line title={texts.p95} values={points.map(({ p95Ms }) => p95Ms)} />
      </Tile>
    </>
  );
}

function errorsOf({ errors, requests }: Totals, texts: OverviewTexts, { count }: Format): string | undefined {
  return errors === null || requests === null
    ? undefined
    : texts.errorsOf({ errors: count(errors), requests: count(requests) });
}

/** So many monitors are listed, the worst first: with so many, there may be more that are up. */
const listedMax = 200;

function MonitorsTile({ monitors }: { monitors: readonly OverviewMonitor[] }) {
  const texts = useTexts(overviewTexts);
  const { slug } = usePage();
  const { to } = useAddress();
  const format = useFormat();
  const watched = monitors.filter(({ paused }) => !paused);
  const up = watched.filter(({ state }) => state === 'up').length;
  const down = watched.filter(({ state }) => state === 'down').length;
  const value =
    monitors.length >= listedMax
      ? texts.downCount({ down: format.count(down) })
      : texts.upOf({ up: format.count(up), all: format.count(watched.length) });
  const uptimes = watched.flatMap(({ uptime24h }) => uptime24h ?? []);
  const uptime = uptimes.reduce((sum, value) => sum + value, 0) / uptimes.length;
  return (
    <Tile
      title={texts.monitorsUp}
      href={to(pathOfScreen(slug, 'monitors'))}
      value={watched.length === 0 ? undefined : value}
      note={uptimes.length === 0 ? texts.noMonitor : texts.uptimeNow({ share: format.uptime(uptime) })}
    >
      <ul class="monitor-dots" aria-hidden="true">
        {watched.slice(0, 60).map(({ slug: name, state }) => (
          <li key={name} class={state ?? 'unknown'} />
        ))}
      </ul>
    </Tile>
  );
}

type TileProps = {
  title: string;
  href: string;
  value: string | undefined;
  change?: NonNullable<FigureProps['change']>;
  note: string | undefined;
  tone?: ShareTone;
  help?: string;
  children: ComponentChildren;
};

/** A figure as a link: all of the tile takes a click. */
function Tile({ title, href, value, change, note, tone, help, children }: TileProps) {
  const { none } = useTexts(kitTexts);
  return (
    <div class={tone === undefined ? 'tile' : `tile share-${tone}`}>
      <dt>
        <a href={href}>{title}</a>
      </dt>
      <dd>
        <span class="tile-figure">
          <span class="figure-value" title={help}>
            {value ?? none}
          </span>
          {change !== undefined && <Change {...change} />}
        </span>
        <span class="note">{note}</span>
        {children}
      </dd>
    </div>
  );
}

function Line({ title, values }: { title: string; values: readonly (number | null)[] }) {
  const { overTime } = useTexts(overviewTexts);
  if (values.every((value) => value === null)) return <span class="tile-line" />;
  return (
    <span class="tile-line">
      <Sparkline values={values} label={overTime({ title })} width={280} height={40} />
    </span>
  );
}
