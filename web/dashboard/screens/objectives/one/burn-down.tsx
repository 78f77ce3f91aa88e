import { useMemo } from 'preact/hooks';
import type { ObjectiveReport } from '../../../../../contract/manage/objective-report.js';
import { useAddress } from '../../../address/use-address.js';
import { useFormat } from '../../../format.js';
import type { ChartMark, ChartSeries } from '../../../kit/chart/model.js';
import { sliceSeries } from '../../../kit/chart/slice-series.js';
import { TimeChart } from '../../../kit/chart/time-chart.js';
import { Panel } from '../../../kit/panel.js';
import { Empty } from '../../../kit/states.js';
import { useTexts } from '../../../texts.js';
import { objectivesTexts } from '../texts.js';
import { toneOfLeft } from '../words.js';

/** The budget that is left over the window, with what happened meanwhile. */
export function BurnDown({ report }: { report: ObjectiveReport }) {
  const texts = useTexts(objectivesTexts);
  const { query, choose } = useAddress();
  const zoom = readZoom(query['zoom']);
  const lines = useMemo(() => linesOf(report, texts), [report, texts]);
  const marks = useMarks(report);
  if (report.burnDown.points.length === 0) {
    return (
      <Panel title={texts.burnDown}>
        <Empty title={texts.nothingCounted}>
          <p>{texts.nothingCountedWhy}</p>
        </Empty>
      </Panel>
    );
  }
  const [from, to] = zoom ?? [Date.parse(report.window.from), Date.parse(report.window.to)];
  const iso = (at: number) => new Date(at).toISOString();
  return (
    <Panel
      title={texts.burnDown}
      note={texts.burnDownWhy}
      actions={
        zoom !== undefined && (
          <button type="button" class="button small" onClick={() => choose({ zoom: undefined })}>
            {texts.wholeWindow}
          </button>
        )
      }
    >
      <TimeChart
        {...{ title: texts.burnDown, unit: 'share', from, to, marks }}
        {...sliceSeries(lines, from, to)}
        stepSeconds={report.burnDown.step}
        onZoom={(start, end) => choose({ zoom: `${iso(start)}/${iso(end)}` })}
      />
    </Panel>
  );
}

type Lines = { times: readonly number[]; series: readonly ChartSeries[] };

/**
 * Returns the line of what is left and the one of a budget that is spent evenly. That one ends with the window where the
 * budget is one of time, and with what is counted where it grows with the requests.
 */
function linesOf(report: ObjectiveReport, texts: Labels): Lines {
  const { burnDown, window, counted, unit, budget } = report;
  const stepMs = burnDown.step * 1_000;
  const from = Date.parse(window.from);
  const end = unit === 'minutes' ? Date.parse(window.to) : Date.parse(counted?.to ?? window.to);
  const known = burnDown.points.map(({ at }) => Date.parse(at));
  const last = known.at(-1) ?? from;
  const ahead = Math.max(0, Math.ceil((Date.parse(window.to) - last) / stepMs) - 1);
  const times = [...known, ...Array.from({ length: ahead }, (_, i) => last + (i + 1) * stepMs)];
  const even = times.map((at) => {
    const share = (at + stepMs - from) / Math.max(1, end - from);
    return share > 1.0001 + stepMs / Math.max(1, end - from)
      ? null
      : Math.max(0, Math.round(1_000 * (1 - share)) / 1_000);
  });
  return {
    times,
    series: [
      {
        ...{ key: 'left', label: texts.leftLine, colour: toneOfLeft(budget.leftPercent) },
        values: times.map((_, i) => {
          const percent = burnDown.points[i]?.leftPercent ?? null;
          return percent === null ? null : percent / 100;
        }),
      },
      { key: 'even', label: texts.evenLine, colour: 'none', values: even, isBeside: true },
    ],
  };
}

type Labels = { leftLine: string; evenLine: string };

/** Reads `from/to` of the address; `undefined` for anything else. */
function readZoom(text = ''): [from: number, to: number] | undefined {
  const [from = Number.NaN, to = Number.NaN] = text.split('/').map((part) => Date.parse(part));
  return from < to ? [from, to] : undefined;
}

function useMarks({ incidents, deployments, window }: ObjectiveReport): readonly ChartMark[] {
  const texts = useTexts(objectivesTexts);
  const format = useFormat();
  return useMemo(() => {
    const ends = { from: Date.parse(window.from), to: Date.parse(window.to) };
    const known = deployments.map(({ service, version, at }) => ({
      ...{ at: Date.parse(at), kind: 'deploy' as const },
      label: texts.deployed({ service, version, time: format.moment(Date.parse(at)) }),
    }));
    const began = incidents
      .filter(({ type }) => type === 'incident')
      .map(({ title, startedAt }) => ({
        ...{ at: Date.parse(startedAt), kind: 'incident' as const, label: title },
      }));
    return [...known, ...began].filter(({ at }) => at >= ends.from && at < ends.to);
  }, [incidents, deployments, window, texts, format]);
}
