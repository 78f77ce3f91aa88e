import type { ComponentChildren } from 'preact';
import type { TopAnswer, TopRow, Totals } from '../../../../contract/analytics/figures.js';
import { type Format, writeKnown } from '../../format.js';
import { wholeSteps } from '../../kit/counted-steps.js';
import { classOfErrorShare, type ShareLimits, toneOfErrorShare } from '../../kit/error-share.js';
import { Change } from '../../kit/figure.js';
import { Sparkline } from '../../kit/sparkline.js';
import type { Column } from '../../kit/table/column.js';
import type { TrafficTexts } from './texts.js';

export type RowColumn = Column<TopRow>;

/** From where on shares of errors have a colour, and the words that say so. */
export type ShareColours = { limits: ShareLimits; words: string };

/** A change below this part is noise in a table. */
const changeMin = 0.1;

/** Columns with changes: their titles stand above the figures, and not above the changes. */
const changingClass = 'changing-cell';

/** Stands for a figure of a range that is not all kept; nothing where nothing was measured. */
function unknown({ now }: TopRow): string | null {
  return now.requests === null ? '–' : null;
}

/** The columns of figures, which all tables of groups take theirs from. */
export function figureColumns(texts: TrafficTexts, format: Format, { limits, words }: ShareColours) {
  const { columns } = texts;
  const shareHelp = `${columns.errorShareHelp}. ${words}.`;
  const percentile = (key: 'p50' | 'p95' | 'p99', pick: (totals: Totals) => number | null): RowColumn => ({
    ...{ key, title: columns[key], isFigure: true, isMinor: key !== 'p95' },
    ...(key === 'p95' && { class: changingClass }),
    help: columns.percentileHelp({ part: `${key.slice(1)} %` }),
    value: ({ now }) => pick(now),
    cell: (row) => {
      const value = pick(row.now);
      if (value === null) return unknown(row);
      return key === 'p95' ? (
        <WithChange row={row} pick={pick}>
          {format.ms(value)}
        </WithChange>
      ) : (
        format.ms(value)
      );
    },
  });
  return {
    rate: {
      ...{ key: 'requests', title: columns.rate, isFigure: true, class: changingClass },
      value: ({ now }) => now.requestsPerSecond,
      cell: (row) =>
        row.now.requestsPerSecond === null ? (
          unknown(row)
        ) : (
          <WithChange row={row} pick={({ requestsPerSecond }) => requestsPerSecond} isGoodWhen="either">
            <span
              title={writeKnown(row.now.requests, (count) =>
                texts.requestCount({ count: format.count(count) }),
              )}
            >
              {format.perSecond(row.now.requestsPerSecond)}
            </span>
          </WithChange>
        ),
    },
    errors: {
      ...{ key: 'errors', title: columns.errors, help: columns.errorShareHelp, isFigure: true },
      value: ({ now }) => now.errors,
      cell: (row) => writeKnown(row.now.errors, format.count) ?? unknown(row),
    },
    errorShare: {
      ...{ key: 'errorShare', title: columns.errorShare, help: shareHelp, isFigure: true },
      class: changingClass,
      value: ({ now }) => now.errorShare,
      cell: (row) =>
        row.now.errorShare === null ? (
          unknown(row)
        ) : (
          <WithChange row={row} pick={({ errorShare }) => errorShare}>
            <span class={classOfErrorShare(row.now.errorShare, limits)}>
              {format.share(row.now.errorShare)}
            </span>
          </WithChange>
        ),
    },
    p50: percentile('p50', ({ p50Ms }) => p50Ms),
    p95: percentile('p95', ({ p95Ms }) => p95Ms),
    p99: percentile('p99', ({ p99Ms }) => p99Ms),
  } satisfies Record<string, RowColumn>;
}

/** Requests over time, with the errors in them. */
export function trendColumn(
  answer: TopAnswer,
  { columns }: TrafficTexts,
  { count }: Format,
  { limits }: ShareColours,
): RowColumn {
  return {
    ...{ key: 'trend', title: columns.trend, help: columns.trendHelp, isPicture: true, isMinor: true },
    value: () => null,
    cell: ({ sparkline, now }) => {
      if (sparkline === null) return null;
      const { requests, errors } = wholeSteps(sparkline, answer);
      const largest = Math.max(0, ...sparkline.requests.map((value) => value ?? 0));
      const label = columns.trendOf({ most: count(largest), errors: count(now.errors ?? 0) });
      const tone = toneOfErrorShare(now.errorShare, limits);
      return <Sparkline values={requests} failures={errors} tone={tone} label={label} />;
    },
  };
}

type WithChangeProps = {
  row: TopRow;
  pick(totals: Totals): number | null;
  isGoodWhen?: 'lower' | 'either';
  children: ComponentChildren;
};

/** A figure with its change, where that is more than noise. The figures of a column stay below each other. */
function WithChange({ row: { now, previous }, pick, isGoodWhen = 'lower', children }: WithChangeProps) {
  const [after, before] = [pick(now), previous === null ? null : pick(previous)];
  const isShown = after !== null && before !== null && Math.abs(after - before) > changeMin * before;
  return (
    <span class="changing">
      {children}
      <span class="changing-by">
        {isShown && <Change now={after} before={before} isGoodWhen={isGoodWhen} />}
      </span>
    </span>
  );
}
