import t from 'tap';
import type { ServiceResponseTimes } from '../../contract/public/response-times.js';
import { dayMs, hourMs } from '../../lib/times.js';
import { drawSeries, listTicks, niceTop } from '../../web/state/chart-shape.js';
import { renderStatusView } from '../../web/views/status-view.js';
import type { StatusViewInput } from '../../web/views/view-inputs.js';
import { changeServices, makeView, pageAssets, readText } from '../support/page-views.js';

/** A view of one service with these values, the last of which is of 16:00 to 17:00, or of 21 November. */
function makeChart(
  averageMs: (number | null)[],
  p95Ms: (number | null)[],
  fields: Partial<StatusViewInput> & {
    range?: '24h' | '90d';
    figures?: Partial<ServiceResponseTimes>;
    isRunning?: boolean;
  } = {},
): string {
  const { range = '24h', figures = {}, isRunning = false, ...rest } = fields;
  const stepMs = range === '24h' ? hourMs : dayMs;
  const to = (Math.floor(Date.parse('2026-11-21T16:30:00Z') / stepMs) + 1) * stepMs;
  const view = makeView({
    historyDays: 90,
    responseTimes: {
      ...{
        slug: 'acme',
        range,
        stepSeconds: stepMs / 1000,
        unfinishedFrom: isRunning ? new Date(to - stepMs).toISOString() : null,
      },
      ...{ from: new Date(to - averageMs.length * stepMs).toISOString(), to: new Date(to).toISOString() },
      services: [
        { slug: 'service-1', averageMs: 163.4, p95Ms: 250, points: { averageMs, p95Ms }, ...figures },
      ],
    },
    ...rest,
  });
  return renderStatusView(view, pageAssets);
}

const attribute = (html: string, name: string) => new RegExp(`${name}="([^"]*)"`).exec(html)?.[1];
const path = (html: string, kind: string) => new RegExp(`<path class="${kind}" d="([^"]+)"`).exec(html)?.[1];

t.test('the step that is not over is drawn lighter, with the line that leads to it', async (t) => {
  const values = [100, 50, 75, 100];
  t.equal(path(makeChart(values, values, { isRunning: true }), 'running'), 'M5 0h3v200H5z');
  t.equal(path(makeChart(values, values), 'running'), undefined);
});

t.test('a line ends where the data ends, and a lone value is a dot', (t) => {
  const { line, area, dots } = drawSeries([null, 100, 50, null, 75, null, 0, 100, null], 100);
  t.equal(line, 'M3 0l2 100M13 200l2 -200');
  t.equal(dots, 'M9 50h0');
  t.equal(area, 'M3 200V0l2 100V200zM13 200V200l2 -200V200z', 'down to the base, and not part of the line');
  t.strictSame(drawSeries([null, null], 100), { line: '', area: '', dots: '' });
  t.end();
});

t.test('the scale ends with a round number whose half is round', (t) => {
  for (const [ms, top] of [
    [0, 10],
    [9.9, 10],
    [10, 10],
    [11, 20],
    [99, 100],
    [101, 200],
    [240, 300],
    [910, 1_000],
    [4_100, 6_000],
  ] as const) {
    t.equal(niceTop(ms), top, `${ms}`);
  }
  t.end();
});

t.test('times below a chart are few and round', (t) => {
  const ticksOf = (from: string, steps: number, stepMs: number) =>
    listTicks({ from: Date.parse(from), steps, stepMs }).ticks.map(({ at, form }) =>
      form === 'day' ? new Date(at).toISOString().slice(5, 10) : new Date(at).toISOString().slice(8, 13),
    );
  t.strictSame(ticksOf('2026-11-20T17:00Z', 24, hourMs), ['20T18', '21T00', '21T06', '21T12']);
  t.strictSame(ticksOf('2026-11-21T12:00Z', 5, hourMs), [
    '21T12',
    '21T13',
    '21T14',
    '21T15',
    '21T16',
    '21T17',
  ]);
  t.strictSame(ticksOf('2026-11-14T17:00Z', 168, hourMs), [
    ...['15T00', '16T00', '17T00', '18T00', '19T00', '20T00', '21T00'],
  ]);
  t.strictSame(ticksOf('2026-10-23', 30, dayMs), ['10-26', '11-02', '11-09', '11-16'], 'Mondays');
  t.strictSame(ticksOf('2026-08-24', 90, dayMs), ['08-24', '09-14', '10-05', '10-26', '11-16']);
  t.strictSame(ticksOf('2026-11-19', 3, dayMs), ['11-19', '11-20', '11-21']);
  t.strictSame(ticksOf('2026-11-21', 1, dayMs), ['11-21']);
  const [tick] = listTicks({ from: Date.parse('2026-11-21'), steps: 1, stepMs: dayMs }).ticks;
  t.equal(tick?.share, 0.5, 'a day is named where its value is');
  t.end();
});

t.test('a chart has averages, percentiles, their figures and a description', (t) => {
  const html = makeChart([150, 160, null, 180], [200, 240, null, null]);
  t.equal(attribute(html, 'data-average'), '150,160,,180');
  t.equal(attribute(html, 'data-p95'), '200,240,,');
  t.equal(attribute(html, 'data-plot'), String(Date.parse('2026-11-21T13:00Z') / hourMs));
  t.equal(attribute(html, 'data-top'), '300');
  t.match(path(html, 'average'), /^M1 \d+l2 -\d+$/);
  t.match(path(html, 'average dots'), /^M7 \d+h0$/);
  t.match(path(html, 'p95'), /^M1 \d+l2 -\d+$/);
  t.match(html, 'aria-label="Response time, 24 hours: Average 163 ms, 95th percentile 250 ms"');
  t.match(readText(html), 'Response time 163 ms Average 163 ms 95th percentile 250 ms 24h 7d 30d 90d ');
  t.match(readText(html), '13:00 14:00 15:00 16:00 17:00', 'hours of UTC, for visitors without scripts');
  t.end();
});

t.test('the axis begins with the first measurement', (t) => {
  const html = makeChart([...new Array(80).fill(null), 10, null, 30, ...new Array(7).fill(null)], [], {
    range: '90d',
    figures: { p95Ms: null },
  });
  t.equal(attribute(html, 'data-average'), '10,,30,,,,,,,');
  t.equal(attribute(html, 'data-plot'), String(Date.parse('2026-11-12') / dayMs));
  t.match(readText(html), '13 Nov 15 Nov 17 Nov 19 Nov 21 Nov', 'and ends today');
  t.end();
});

t.test('no line and no key for percentiles that are not known', (t) => {
  const html = makeChart([150, 160], [null, null], { figures: { p95Ms: null } });
  t.equal(path(html, 'p95'), undefined);
  t.notMatch(readText(html), '95th percentile');
  const some = readText(makeChart([150, 160, 170], [null, 200, 210], { figures: { p95Ms: null } }));
  t.match(some, 'Average 163 ms 95th percentile 24h', 'without a figure when only some are known');
  t.end();
});

t.test('a range without measurements says so; a service without any has no chart', (t) => {
  const none = { averageMs: null, p95Ms: null };
  const view = makeView();
  const times = view.summary.services.map(({ slug }) => ({
    slug,
    ...none,
    points: { averageMs: [], p95Ms: [] },
  }));
  const before = changeServices(view, [
    { responseTime: { windowDays: 90, averageMs: 88, points: [] } },
    { responseTime: { windowDays: 90, averageMs: null, points: [] } },
  ]);
  const html = renderStatusView(
    { ...before, responseTimes: { ...before.responseTimes, services: times } },
    pageAssets,
  );
  t.equal((html.match(/<figure/g) ?? []).length, 1);
  t.match(readText(html), /Response time 88 ms Average .*Nothing was measured in this time\./);
  t.notMatch(html, 'data-plot');
  t.end();
});

t.test('ranges are links within the history of the page', (t) => {
  const html = makeChart([1, 2], []);
  t.match(html, '<a href="?range=7d#chart-service-1" data-range="7d" title="7 days">7d</a>');
  t.match(
    html,
    '<a href="?range=24h#chart-service-1" data-range="24h" aria-current="true" title="24 hours">',
  );
  const offered = (historyDays: number) =>
    [...makeChart([1, 2], [], { historyDays }).matchAll(/data-range="(\w+)"/g)].map(([, range]) => range);
  t.strictSame(offered(90), ['24h', '7d', '30d', '90d']);
  t.strictSame(offered(30), ['24h', '7d', '30d']);
  t.strictSame(offered(8), ['24h', '7d', '30d']);
  t.strictSame(offered(7), ['24h', '7d']);
  t.end();
});

t.test('time runs from right to left where the writing does', (t) => {
  const places = (language: string) => {
    const html = makeChart([1, 2, 3, 4], [], { language });
    return [...html.matchAll(/<text x="([\d.]+)%"/g)].map(([, x]) => Number(x));
  };
  t.strictSame(places('en'), [0, 25, 50, 75, 100]);
  t.strictSame(places('ar'), [100, 75, 50, 25, 0]);
  t.end();
});
