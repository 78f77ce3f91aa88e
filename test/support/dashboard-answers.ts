import type { Page, Route } from 'playwright-core';
import type { TopAnswer, TopRow, Totals, TotalsAnswer } from '../../contract/analytics/figures.js';
import type { CallsAnswer, ReporterHealth, ReportersAnswer } from '../../contract/analytics/reporters.js';
import type { RequestsAnswer } from '../../contract/analytics/requests.js';
import type { OverviewAnswer, OverviewMonitor } from '../../contract/manage/overview.js';
import { allKept } from './kept.js';

const hourMs = 3_600_000;

/** Answers of reads of the page `acme`, by the path behind the page. A function gets the query. */
export type Answers = Readonly<Record<string, object | ((query: URLSearchParams) => object)>>;

/** Lets these reads answer as given; others reach the service. */
export async function answerReads(page: Page, answers: Answers): Promise<void> {
  await page.route(/\/api\/v1\/pages\/[^/]+\//, async (route: Route) => {
    const { pathname, searchParams } = new URL(route.request().url());
    const [, path = ''] = /^\/api\/v1\/pages\/[^/]+(\/.*)$/.exec(pathname) ?? [];
    const answer = answers[path];
    if (answer === undefined) return route.fallback();
    await route.fulfill({ json: typeof answer === 'function' ? answer(searchParams) : answer });
  });
}

export function totalsOf(requests: number, errors: number, fields: Partial<Totals> = {}): Totals {
  return {
    ...{ requests, errors, clientErrors: Math.round(requests / 50), requestsPerSecond: requests / 21_600 },
    ...{ errorShare: requests === 0 ? null : errors / requests },
    ...(requests === 0
      ? { averageMs: null, p50Ms: null, p95Ms: null, p99Ms: null }
      : { averageMs: 61, p50Ms: 42, p95Ms: 218, p99Ms: 640 }),
    ...fields,
  };
}

/** Six hours up to now. */
export function rangeOfAnswers(hours = 6): { from: string; to: string } {
  const to = Math.ceil(Date.now() / 60_000) * 60_000;
  return { from: new Date(to - hours * hourMs).toISOString(), to: new Date(to).toISOString() };
}

/** A line that rises and falls like the requests of a day. */
function wave(length: number, middle: number): number[] {
  return Array.from({ length }, (_, i) =>
    Math.round(middle * (1 + 0.3 * Math.sin(i / 7) + 0.1 * Math.sin(i * 1.7))),
  );
}

export function makeTotals(fields: Partial<TotalsAnswer> = {}): TotalsAnswer {
  return {
    ...rangeOfAnswers(),
    ...{ keptFrom: null, notKept: null },
    now: totalsOf(1_204_331, 25_290),
    previous: totalsOf(1_150_020, 4_830, { p95Ms: 231 }),
    ...fields,
  };
}

/** The share of errors rises in the last quarter. */
export function makeSeries(): RequestsAnswer {
  const step = 180;
  const { from, to } = rangeOfAnswers();
  const first = Math.ceil(Date.parse(from) / 1000 / step) * step * 1000;
  const points = wave(119, 10_000).map((count, i) => ({
    at: new Date(first + i * step * 1000).toISOString(),
    ...{ count, errors: Math.round(count * (i > 88 ? 0.07 : 0.004)), clientErrors: Math.round(count / 60) },
    ...{ averageMs: 60, p50Ms: 42, p95Ms: 200 + 20 * Math.sin(i / 5), p99Ms: 640 },
  }));
  const series = [{ group: null, points }];
  return { from, to, step, ...allKept, groupBy: null, series, truncated: false };
}

export function makeRow(fields: Partial<TopRow>): TopRow {
  const [now, previous] = [totalsOf(200_000, 120), totalsOf(190_000, 110)];
  return {
    service: 'shop',
    endpoint: null,
    method: null,
    status: null,
    sparkline: null,
    now,
    previous,
    ...fields,
  };
}

const serviceNames = ['checkout', 'storefront', 'search', 'accounts', 'mailer', 'inventory'];

export function makeServices(rows?: readonly TopRow[]): TopAnswer {
  const sparkline = (errors: number) => ({
    requests: wave(30, 400),
    errors: Array.from({ length: 30 }, (_, i) => (i > 22 ? errors : 0)),
  });
  const usual = serviceNames.map((service, i) =>
    makeRow({
      service,
      sparkline: sparkline(i === 0 ? 120 : 0),
      ...(i === 0
        ? { now: totalsOf(310_000, 24_100, { p95Ms: 1_240 }), previous: totalsOf(301_000, 930) }
        : { now: totalsOf(300_000 - i * 45_000, 240 - i * 30) }),
    }),
  );
  const all = rows ?? usual;
  return {
    ...{ ...rangeOfAnswers(), ...allKept },
    ...{ by: 'service', order: 'requests', step: 720, groups: all.length, truncated: false, rows: [...all] },
  };
}

export function makeEndpoints(rows?: readonly TopRow[]): TopAnswer {
  const usual = [
    makeRow({
      ...{ service: 'checkout', endpoint: '/checkout/:id/pay' },
      ...{ now: totalsOf(58_000, 23_780), previous: totalsOf(57_100, 171) },
    }),
    makeRow({ service: 'storefront', endpoint: '/cart/:id', now: totalsOf(240_000, 610) }),
    makeRow({ service: 'search', endpoint: '/search', now: totalsOf(180_000, 220) }),
  ];
  const all = rows ?? usual;
  return {
    ...{ ...rangeOfAnswers(), ...allKept },
    ...{ by: 'endpoint', order: 'errors', step: null, groups: all.length, truncated: false, rows: [...all] },
  };
}

export function makeMonitor(fields: Partial<OverviewMonitor> = {}): OverviewMonitor {
  return {
    ...{ slug: 'website', name: 'Website', type: 'http', state: 'up', degradedSince: null, paused: false },
    ...{ lastPingAt: null, uptime24h: 100, responseMs: 124 },
    stateSince: new Date(Date.now() - 90 * hourMs).toISOString(),
    bars: Array<number>(24).fill(100),
    ...fields,
  };
}

const allSet = { monitor: true, ingestKey: true, event: true, told: true, subscriber: true, host: true };
export const nothingSet = {
  monitor: false,
  ingestKey: false,
  event: false,
  told: false,
  subscriber: false,
  host: false,
};

export function makeOverview(fields: Partial<OverviewAnswer> = {}): OverviewAnswer {
  return {
    unfinishedFrom: new Date(Math.floor(Date.now() / hourMs) * hourMs).toISOString(),
    checklist: allSet,
    unread: null,
    alerts: { items: [], count: 0 },
    monitors: [makeMonitor(), makeMonitor({ slug: 'api', name: 'API', responseMs: 38 })],
    ...{ incidents: [], maintenance: [], changes: [] },
    ...{ silentReporters: 0, failingReporters: 0, lateReporters: 0 },
    backlog: { emails: 0, webhooks: 0, events: 0 },
    ...fields,
  };
}

/** A page on a bad day. */
export function makeTroubledOverview(): OverviewAnswer {
  const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
  const bars = [...Array<number | null>(3).fill(null), ...Array<number>(19).fill(100), 96.4, 41.7];
  const change = (minutes: number, actor: string, action: string, subject: string) => ({
    at: ago(minutes),
    ...{ actor, action, subject },
  });
  return makeOverview({
    checklist: { ...allSet, host: false },
    monitors: [
      makeMonitor({
        ...{ slug: 'checkout', name: 'Checkout', state: 'down', stateSince: ago(21), uptime24h: 97.2 },
        ...{ bars, responseMs: 812 },
      }),
      ...['Website', 'API', 'Search', 'Accounts'].map((name, i) =>
        makeMonitor({ slug: name.toLowerCase(), name, responseMs: 40 + 31 * i }),
      ),
      makeMonitor({ slug: 'backup', name: 'Nightly backup', responseMs: null }),
      makeMonitor({
        slug: 'old',
        name: 'Old shop',
        paused: true,
        state: null,
        uptime24h: null,
        bars: Array<null>(24).fill(null),
      }),
    ],
    incidents: [
      {
        id: '01933b40-0000-7000-8000-000000000001',
        ...{ title: 'Payments fail', state: 'identified', startedAt: ago(18) },
      },
    ],
    maintenance: [
      {
        id: '01933b40-0000-7000-8000-000000000002',
        ...{ title: 'Upgrade of the database', startsAt: ago(-300), endsAt: ago(-360) },
      },
    ],
    ...{ silentReporters: 2, failingReporters: 5, lateReporters: 1 },
    backlog: { emails: 1_204, webhooks: 3, events: 0 },
    changes: [
      change(12, 'Ann Lee', 'incident.update', 'Payments fail'),
      change(18, 'Ann Lee', 'incident.create', 'Payments fail'),
      change(64, 'Ben Ode', 'monitor.update', 'Checkout'),
      change(70, 'Ben Ode', 'monitor.update', 'Checkout'),
      change(240, 'deploy bot', 'key.create', 'checkout on eu-2'),
      change(700, 'Ann Lee', 'subscriber.create', 'mia@example.com'),
      change(1_100, 'Ann Lee', 'webhook.rotate', 'https://hooks.example.com/heartline'),
      change(1_200, 'Cy', 'unknown.thing', 'something new'),
    ],
  });
}

const gateway = 'payment gateway timed out after 2000 ms';

/** All reads of the overview of a page on a bad day. */
export function troubledPage(): Answers {
  return {
    '/overview': makeTroubledOverview,
    '/analytics/totals': () => makeTotals(),
    '/analytics/requests': makeSeries,
    '/analytics/top': (query) => (query.get('by') === 'service' ? makeServices() : makeEndpoints()),
    '/analytics/messages/groups': () => ({
      groups: [
        {
          ...{ message: gateway, pattern: gateway.replace('2000', '#'), count: 61, statuses: [503] },
          ...rangeOfAnswers(1),
          ...{ firstAt: rangeOfAnswers(1).from, lastAt: rangeOfAnswers(1).to },
          endpoints: [{ service: 'checkout', endpoint: '/checkout/:id/pay' }],
          endpointsTotal: 1,
        },
      ],
      truncated: false,
    }),
  };
}

/** All reads of the overview of a page without a request. */
export function emptyPage(checklist: OverviewAnswer['checklist'] = nothingSet): Answers {
  return {
    '/overview': () => makeOverview({ checklist, monitors: [] }),
    '/analytics/totals': () => makeTotals({ now: totalsOf(0, 0), previous: totalsOf(0, 0) }),
    '/analytics/requests': () => ({ ...makeSeries(), series: [{ group: null, points: [] }] }),
    '/analytics/top': (query) => (query.get('by') === 'service' ? makeServices([]) : makeEndpoints([])),
  };
}

export function makeReporter(fields: Partial<ReporterHealth> = {}): ReporterHealth {
  const ageSeconds = fields.ageSeconds === undefined ? 14 : fields.ageSeconds;
  return {
    ...{ id: 'eu-1', name: 'Checkout on eu-1', kind: 'reporter', state: 'clean', thin: false },
    reporting: fields.state === 'silent' || fields.state === 'late' ? fields.state : 'clean',
    ...{ requests: 48_210, errors: 0, failureRate: 0, expectedEverySeconds: 60, region: 'eu', team: 'shop' },
    lastReportAt: ageSeconds === null ? null : new Date(Date.now() - ageSeconds * 1000).toISOString(),
    ageSeconds,
    ...fields,
  };
}

/** One reporter of each state. */
export function makeReporters(): ReportersAnswer {
  return {
    window: 3_600,
    reporters: [
      makeReporter({
        ...{ id: 'eu-2', name: 'Checkout on eu-2', state: 'failing', errors: 1_912, failureRate: 0.0412 },
      }),
      makeReporter({
        ...{
          id: 'us-1',
          name: 'Search on us-1',
          state: 'silent',
          ageSeconds: 7_300,
          region: 'us',
          requests: 0,
        },
        ...{ failureRate: null, thin: true, team: 'search' },
      }),
      makeReporter({
        id: 'us-2',
        name: 'Search on us-2',
        state: 'late',
        ageSeconds: 170,
        region: 'us',
        team: 'search',
      }),
      makeReporter({ id: 'eu-3', name: 'Mailer on eu-3', requests: 42, thin: true, team: null }),
      makeReporter(),
      makeReporter({
        ...{ id: 'storefront', name: 'storefront', kind: 'service', region: null, team: null },
        expectedEverySeconds: null,
      }),
    ],
  };
}

/** Calls of these reporters over a day; silent ones stopped some time ago. */
export function makeCalls({ reporters }: ReportersAnswer, query: URLSearchParams): CallsAnswer {
  const isDay = query.get('step') === '1800';
  const [hours, step] = isDay ? [24, 1_800] : [6, 180];
  const steps = (hours * 3_600) / step;
  const only = query.get('reporter');
  const pointsOf = ({ state, expectedEverySeconds }: ReporterHealth) =>
    Array.from({ length: steps }, (_, i) => {
      const whole = Math.round(step / (expectedEverySeconds ?? 60));
      if (state === 'silent' && i > steps * 0.9) return 0;
      return state === 'late' && i % 7 === 3 ? Math.ceil(whole / 3) : whole;
    });
  return {
    ...{ ...rangeOfAnswers(hours), ...allKept },
    step,
    reporters: reporters
      .filter(({ id }) => only === null || id === only)
      .map((reporter) => ({ id: reporter.id, kind: reporter.kind, points: pointsOf(reporter) })),
    truncated: false,
  };
}

/** The reads of the screen of the reporters. */
export function reportersPage(answer: ReportersAnswer = makeReporters()): Answers {
  return {
    '/analytics/reporters': () => answer,
    '/analytics/calls': (query) => makeCalls(answer, query),
    '/analytics/requests': makeSeries,
  };
}
