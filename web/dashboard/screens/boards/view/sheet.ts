import type { FailureGroupsAnswer, FailuresAnswer } from '../../../../../contract/analytics/failures.js';
import type { TopAnswer, Totals, TotalsAnswer } from '../../../../../contract/analytics/figures.js';
import type { MessageGroupsAnswer, MessagesAnswer } from '../../../../../contract/analytics/messages.js';
import type { CallsAnswer, ReportersAnswer } from '../../../../../contract/analytics/reporters.js';
import type { RequestsAnswer } from '../../../../../contract/analytics/requests.js';
import type { VersionsAnswer } from '../../../../../contract/analytics/versions.js';
import type { AcquisitionsAnswer, DatabaseHealthAnswer } from '../../../../../contract/database-health.js';
import type { FigurePath, TileDisplay } from '../../../../../contract/manage/boards.js';
import type { RejectionsAnswer } from '../../../../../contract/rejections.js';
import type { ChartNotes } from '../../../kit/chart/kept.js';
import type { SqlResult } from '../../sql/result-shape.js';
import type { TileData } from './tile-reads.js';

type Row = Readonly<Record<string, unknown>>;

/** Buckets over time: counts of each of `bounds`, with one more that has no bound. Times are in milliseconds. */
export type Buckets = {
  times: readonly number[];
  stepSeconds: number;
  bounds: readonly number[];
  counts: readonly (readonly number[] | null)[];
};

/** Rows and columns, in which every tile finds what it draws. */
export type Sheet = {
  result: SqlResult;
  /** Whether the author of a statement has named the columns. */
  isStatement: boolean;
  /** Whether the times are the axis of a chart; those in a list only say when something was. */
  isOverTime: boolean;
  /** The first row in the period before. */
  before?: Row | null;
  notes?: ChartNotes;
  /** Columns that are worded like another one. */
  words?: Readonly<Record<string, string>>;
  buckets?: Buckets;
};

type AnswerOf = {
  totals: TotalsAnswer;
  requests: RequestsAnswer;
  top: TopAnswer;
  failures: FailuresAnswer;
  'failures/groups': FailureGroupsAnswer;
  messages: MessagesAnswer;
  'messages/groups': MessageGroupsAnswer;
  reporters: ReportersAnswer;
  calls: CallsAnswer;
  versions: VersionsAnswer;
  rejections: RejectionsAnswer;
  'database-health': DatabaseHealthAnswer;
  'database-health/acquisitions': AcquisitionsAnswer;
};

/** Returns the rows and columns of what a tile shows. A read that only a newer service knows has none. */
export function sheetOf(data: Exclude<TileData, { kind: 'text' }>, display: TileDisplay): Sheet {
  if (data.kind === 'sql') return { result: data.result, isStatement: true, isOverTime: true };
  if (!Object.hasOwn(shapes, data.path)) return sheet([], []);
  // The path names the type of the answer.
  const shape = shapes[data.path as FigurePath] as (answer: unknown, display: TileDisplay) => Sheet;
  return shape(data.data, display);
}

const figures = ['requests', 'requestsPerSecond', 'errors', 'clientErrors', 'errorShare'] as const;
const times = ['averageMs', 'p50Ms', 'p95Ms', 'p99Ms'] as const;
const numbers = [...figures, ...times] as const satisfies readonly (keyof Totals)[];
const ofTop = ['requests', 'errors', 'errorShare', 'p95Ms'] as const;

const shapes: { readonly [Path in FigurePath]: (answer: AnswerOf[Path], display: TileDisplay) => Sheet } = {
  totals: ({ now, previous }) => ({
    ...sheet([...numbers.map((name) => [name, 'number'] as const)], [now]),
    before: previous,
  }),
  requests: ({ groupBy, series, ...notes }) => ({
    ...steps(
      [
        ...(groupBy === null ? [] : texts(groupBy)),
        ...(['count', 'errors', 'clientErrors', ...times] as const).map((name) => [name, 'number'] as const),
      ],
      series.flatMap(({ group, points }) =>
        points.map((point) => ({ ...point, ...(groupBy !== null && { [groupBy]: String(group ?? '–') }) })),
      ),
      notes,
    ),
    words: { count: 'requests' },
  }),
  top: ({ rows }) => {
    const groups = (['endpoint', 'service', 'method', 'status'] as const).filter((name) =>
      rows.some((row) => row[name] !== null),
    );
    return sheet(
      [...groups.map((name) => [name, 'text'] as const), ...ofTop.map((name) => [name, 'number'] as const)],
      rows.map(({ now, ...row }) => ({ ...row, ...now })),
    );
  },
  failures: ({ samples }) =>
    sheet([['at', 'time'], ...texts('endpoint', 'status', 'errorType', 'message', 'version')], samples),
  'failures/groups': ({ groups }) =>
    sheet([...texts('errorType', 'message'), ['count', 'number'], ['lastAt', 'time']], groups),
  messages: ({ messages }) => sheet([['at', 'time'], ...texts('endpoint', 'status', 'message')], messages),
  'messages/groups': ({ groups }) =>
    sheet([...texts('message'), ['count', 'number'], ['lastAt', 'time']], groups),
  reporters: ({ reporters }) =>
    sheet(
      [
        ...texts('name', 'state'),
        ['requests', 'number'],
        ['failureRate', 'number'],
        ['lastReportAt', 'time'],
      ],
      reporters,
    ),
  calls: ({ from, step, reporters, ...notes }) => {
    const stepMs = step * 1_000;
    const first = Math.floor(Date.parse(from) / stepMs) * stepMs;
    const at = (i: number) => new Date(first + i * stepMs).toISOString();
    return steps(
      [...texts('reporter'), ['calls', 'number']],
      reporters.flatMap(({ id, points }) => points.map((calls, i) => ({ at: at(i), reporter: id, calls }))),
      notes,
    );
  },
  versions: ({ versions }) =>
    sheet(
      [
        ...texts('version', 'environment'),
        ['at', 'time'],
        ...(['requests', 'share', 'failureRate', 'p95Ms'] as const).map((name) => [name, 'number'] as const),
      ],
      versions,
    ),
  rejections: ({ reasons, ...notes }) =>
    steps(
      [...texts('reason'), ['count', 'number']],
      reasons.flatMap(({ reason, points }) => points.map((point) => ({ ...point, reason }))),
      notes,
    ),
  'database-health': (answer, display) => (display === 'table' ? poolsNow(answer) : poolsOverTime(answer)),
  'database-health/acquisitions': ({ boundsMs, points, step, ...notes }) => ({
    ...steps(
      [['acquisitions', 'number']],
      points.map(({ at, buckets }) => ({
        at,
        acquisitions: buckets === null ? null : buckets.reduce((sum, count) => sum + count, 0),
      })),
      notes,
    ),
    buckets: {
      times: points.map(({ at }) => Date.parse(at)),
      stepSeconds: step,
      bounds: boundsMs,
      counts: points.map(({ buckets }) => buckets),
    },
  }),
};

/** Servers, and the pools that lead to them. */
function poolsNow({ sources, current }: DatabaseHealthAnswer): Sheet {
  const servers = sources.map((one) => ({
    ...{ target: one.target, pool: one.engine, open: one.connections, limit: one.connectionLimit },
    ...{ busy: one.activeSessions, waiting: one.blockedSessions },
  }));
  const pools = current.pools.map(({ target, service, pool, snapshot }) => ({
    ...{ target, service, pool, open: snapshot.open, busy: snapshot.busy, waiting: snapshot.waiting },
  }));
  return sheet(
    [
      ...texts('target', 'service', 'pool'),
      ...(['open', 'limit', 'busy', 'waiting'] as const).map((name) => [name, 'number'] as const),
    ],
    [...servers, ...pools],
  );
}

function poolsOverTime({ groupBy, series, ...notes }: DatabaseHealthAnswer): Sheet {
  const measured = ['acquisitions', 'averageMs', 'p95Ms', 'failures', 'peakWaiting', 'utilisation'] as const;
  return steps(
    [...(groupBy === null ? [] : texts(groupBy)), ...measured.map((name) => [name, 'number'] as const)],
    series.flatMap(({ group, points }) =>
      points.map((point) => ({ ...point, ...(groupBy !== null && { [groupBy]: group ?? '–' }) })),
    ),
    notes,
  );
}

type Field = readonly [name: string, kind: 'number' | 'time' | 'text'];

function texts(...names: string[]): Field[] {
  return names.map((name) => [name, 'text'] as const);
}

const typeOf = { number: 'Nullable(Float64)', time: 'DateTime', text: 'String' } as const;

/** Rows as the service writes those of a statement, so that both are drawn in one way. */
function sheet(fields: readonly Field[], rows: readonly Row[]): Sheet {
  const timeNames = fields.filter(([, kind]) => kind === 'time').map(([name]) => name);
  const data = rows.map((row) => ({
    ...row,
    ...Object.fromEntries(timeNames.map((name) => [name, cellOfTime(row[name])])),
  }));
  return {
    result: {
      meta: fields.map(([name, kind]) => ({ name, type: typeOf[kind] })),
      ...{ data, rows: data.length },
    },
    ...{ isStatement: false, isOverTime: false },
  };
}

/** The same of steps, which begin `at` a time. */
function steps(fields: readonly Field[], rows: readonly Row[], notes: ChartNotes): Sheet {
  return { ...sheet([['at', 'time'], ...fields], rows), isOverTime: true, notes };
}

function cellOfTime(value: unknown): string | null {
  return typeof value === 'string' ? value.slice(0, 19).replace('T', ' ') : null;
}
