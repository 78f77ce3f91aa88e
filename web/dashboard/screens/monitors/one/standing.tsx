import type { MonitorSeries } from '../../../../../contract/manage/monitor-checks.js';
import type { ManagedMonitor } from '../../../../../contract/manage/monitors.js';
import { isProbed } from '../../../../../contract/monitors.js';
import { type Format, useFormat, writeKnown } from '../../../format.js';
import { Badge } from '../../../kit/badge.js';
import { chartTexts } from '../../../kit/chart/texts.js';
import { CopyButton } from '../../../kit/copy-button.js';
import { Figure } from '../../../kit/figure.js';
import { ReadView, Skeleton } from '../../../kit/states.js';
import { UptimeStrip } from '../../../kit/uptime-strip.js';
import type { Read } from '../../../reads/use-read.js';
import { useTexts } from '../../../texts.js';
import { wordsOf } from '../columns.js';
import { shownState, tones } from '../state.js';
import { stateTexts } from '../state-texts.js';
import { type MonitorsTexts, monitorsTexts } from '../texts.js';
import { summarise } from './summarise.js';

type StandingProps = { read: Read<ManagedMonitor>; monitor: ManagedMonitor; series: Read<MonitorSeries> };

/** How the monitor does now, and has done in the range. */
export function Standing({ read, monitor, series }: StandingProps) {
  return (
    <section class="panel standing">
      <ReadView read={read}>{() => <Now monitor={monitor} />}</ReadView>
      <ReadView read={series} skeleton={<Skeleton height={110} />}>
        {(answer) => <Range series={answer} isMeasured={isProbed(monitor.type)} />}
      </ReadView>
    </section>
  );
}

function Now({ monitor }: { monitor: ManagedMonitor }) {
  const texts = useTexts(monitorsTexts);
  const states = useTexts(stateTexts);
  const format = useFormat();
  const { stateSince, degradedSince, pausedAt, lastError, url } = monitor;
  const shown = shownState({ ...monitor, paused: pausedAt !== null });
  const since = shown === 'degraded' ? degradedSince : stateSince;
  return (
    <div class="standing-now">
      <p class="standing-state">
        <Badge tone={tones[shown]}>{states[shown]}</Badge>
        {pausedAt === null && since !== null && (
          <span class="note">{texts.stateSince({ moment: format.moment(Date.parse(since)) })}</span>
        )}
        {url !== null && (
          <span class="standing-target">
            <code>{url}</code>
            <CopyButton text={url} />
          </span>
        )}
      </p>
      {pausedAt !== null && <p>{texts.pausedSince({ moment: format.moment(Date.parse(pausedAt)) })}</p>}
      <p class="note">{factsOf(monitor, texts, format).join(' · ')}</p>
      {lastError !== null && pausedAt === null && (
        <p class="standing-error">
          <strong>{wordsOf(lastError, texts)}.</strong> <span lang="en">{sentenceOf(lastError)}</span>
        </p>
      )}
    </div>
  );
}

/** Returns sentences about the newest check or ping. */
function factsOf(monitor: ManagedMonitor, texts: MonitorsTexts, format: Format): string[] {
  const agoOf = (time: string) => format.ago(Date.now() - Date.parse(time));
  const { lastCheckedAt, unobservedSince, periodSeconds, graceSeconds = 0, lastPingAt } = monitor;
  const facts =
    periodSeconds === undefined
      ? [lastCheckedAt === null ? texts.notChecked : texts.lastChecked({ ago: agoOf(lastCheckedAt) })]
      : heartbeatFacts(lastPingAt ?? null, { periodSeconds, graceSeconds }, texts, format);
  if (unobservedSince !== null) {
    facts.push(texts.unobservedSince({ moment: format.moment(Date.parse(unobservedSince)) }));
  }
  return facts;
}

function heartbeatFacts(
  lastPingAt: string | null,
  { periodSeconds, graceSeconds }: { periodSeconds: number; graceSeconds: number },
  texts: MonitorsTexts,
  format: Format,
): string[] {
  const promise = texts.promise({ period: format.span(periodSeconds), grace: format.span(graceSeconds) });
  if (lastPingAt === null) return [texts.noPing, promise];
  const pingedMs = Date.parse(lastPingAt);
  const lateMs = Date.now() - (pingedMs + 1000 * (periodSeconds + graceSeconds));
  return [
    texts.lastPing({ ago: format.ago(Date.now() - pingedMs) }),
    promise,
    lateMs < 0
      ? texts.due({ ago: format.ago(lateMs) })
      : texts.wasDue({ moment: format.moment(Date.now() - lateMs) }),
  ];
}

function sentenceOf(lastError: string): string {
  return lastError.replace(/^[\w-]+: /, '');
}

/** The figures of a range that is not all kept. */
const notKept = { uptime: null, checks: null, failed: null, averageMs: null };

function Range({ series, isMeasured }: { series: MonitorSeries; isMeasured: boolean }) {
  const texts = useTexts(monitorsTexts);
  const format = useFormat();
  const chart = useTexts(chartTexts);
  const { keptFrom, unfinishedFrom } = series;
  const { uptime, checks, failed, averageMs } = keptFrom === null ? summarise(series) : notKept;
  const runningFrom = series.points.findIndex(({ at }) => unfinishedFrom !== null && at >= unfinishedFrom);
  return (
    <>
      <dl class="figures">
        <Figure title={texts.uptime} value={uptime === null ? undefined : format.uptime(uptime)} />
        {isMeasured && (
          <Figure title={texts.average} value={averageMs === null ? undefined : format.ms(averageMs)} />
        )}
        <Figure title={texts.checks} value={writeKnown(checks, format.count)} />
        <Figure title={texts.failed} value={writeKnown(failed, format.count)} />
      </dl>
      <UptimeStrip
        isWide
        uptimes={series.points.map((point) => point.uptime)}
        uptime={uptime}
        runningFrom={runningFrom === -1 ? undefined : runningFrom}
        titleAt={(i) => format.moment(Date.parse(series.points[i]?.at ?? series.from))}
      />
      <p class="strip-ends note">
        <time dateTime={series.from}>{format.moment(Date.parse(series.from))}</time>
        <time dateTime={series.to}>{format.moment(Date.parse(series.to))}</time>
      </p>
      {keptFrom !== null && (
        <p class="note">{chart.keptFrom({ time: format.moment(Date.parse(keptFrom)) })}</p>
      )}
    </>
  );
}
