import { useMemo, useState } from 'preact/hooks';
import type { RulePreview, RuleUnit } from '../../../../../contract/manage/rule-preview.js';
import type { RuleKind } from '../../../../../contract/manage/rules.js';
import { type Format, useFormat } from '../../../format.js';
import { runningStep } from '../../../kit/chart/kept.js';
import type { ChartSeries, ChartSpan, ChartUnit } from '../../../kit/chart/model.js';
import { sliceSeries } from '../../../kit/chart/slice-series.js';
import { TimeChart } from '../../../kit/chart/time-chart.js';
import { useTexts } from '../../../texts.js';
import { rulesTexts } from '../texts.js';
import { previewTexts } from './texts.js';

const units: Readonly<Record<RuleUnit, ChartUnit>> = {
  ...{ percent: 'share', ms: 'ms', requests: 'count', rate: 'number', count: 'number' },
};

const heightPx = 232;

type ChartProps = { preview: RulePreview; kind: RuleKind };

/** The worst values of each step with the line of the rule; the time in which it would have fired is shaded. */
export function PreviewChart({ preview, kind }: ChartProps) {
  const texts = useTexts(previewTexts);
  const { kinds } = useTexts(rulesTexts);
  const format = useFormat();
  const [zoom, setZoom] = useState<[from: number, to: number]>();
  const { stepMinutes, unit, direction, threshold } = preview;
  const lines = useMemo(() => linesOf(preview, kinds[kind]), [preview, kinds, kind]);
  const shaded = useMemo(() => spansOf(preview, texts), [preview, texts]);
  const [from, to] = zoom ?? [Date.parse(preview.from), Date.parse(preview.to)];
  const unfinishedFrom = runningStep(lines.times, stepMinutes * 60_000, Date.parse(preview.to));
  const say = direction === 'above' ? texts.line : texts.lineBelow;
  const limit =
    threshold === null
      ? undefined
      : { value: toChart(threshold, unit), label: say({ value: sayValue(threshold, unit, format) }) };
  return (
    <div>
      <TimeChart
        {...{ title: kinds[kind], unit: units[unit], from, to, shaded, limit, height: heightPx }}
        {...sliceSeries(lines, from, to)}
        stepSeconds={stepMinutes * 60}
        notes={{ keptFrom: null, unfinishedFrom }}
        onZoom={(start, end) => setZoom([start, end])}
      />
      {zoom !== undefined && (
        <button type="button" class="button small" onClick={() => setZoom(undefined)}>
          {texts.wholeTime}
        </button>
      )}
    </div>
  );
}

/** Charts draw shares from 0 to 1. */
function toChart(value: number, unit: RuleUnit): number {
  return unit === 'percent' ? value / 100 : value;
}

/** Returns a value of a rule with its unit. */
export function sayValue(value: number, unit: RuleUnit, format: Format): string {
  if (unit === 'percent') return format.percent(value);
  if (unit === 'ms') return format.ms(value);
  return unit === 'rate' ? `${format.number(value)}×` : format.number(value);
}

function linesOf(
  { from, stepMinutes, groups, unit }: RulePreview,
  name: string,
): { times: readonly number[]; series: readonly ChartSeries[] } {
  const start = Date.parse(from);
  const steps = Math.max(0, ...groups.map(({ values }) => values.length));
  return {
    times: Array.from({ length: steps }, (_, i) => start + i * stepMinutes * 60_000),
    series: groups.map(({ group, values }) => ({
      ...{ key: group, label: group === '' ? name : group },
      values: values.map((value) => (value === null ? null : toChart(value, unit))),
    })),
  };
}

type Labels = { fired: string; firedOf(words: { group: string }): string };

/** A firing of a minute is to be seen in two weeks, which the strip below takes care of. */
function spansOf({ firings, to }: RulePreview, texts: Labels): ChartSpan[] {
  return firings.map(({ group, startedAt, endedAt }) => ({
    ...{ from: Date.parse(startedAt), to: Date.parse(endedAt ?? to), kind: 'incident' },
    label: group === '' ? texts.fired : texts.firedOf({ group }),
  }));
}
