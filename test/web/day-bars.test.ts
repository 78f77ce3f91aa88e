import t from 'tap';
import type { DayIncident } from '../../contract/public/status-page.js';
import { renderStatusView } from '../../web/views/status-view.js';
import type { StatusViewInput } from '../../web/views/view-inputs.js';
import { changeServices, makeView, pageAssets, readText } from '../support/page-views.js';

const render = (view: StatusViewInput): string => renderStatusView(view, pageAssets);

const svgOf = (html: string): string => /class="days".*?<svg.*?<\/svg>/.exec(html)?.[0] ?? '';

t.test('unmeasured days, good days and days with a problem differ in shape', async (t) => {
  const view = makeView({ historyDays: 7 });
  const health = { '2026-11-18': { rate: 0 }, '2026-11-19': { rate: 0.5 }, '2026-11-20': { rate: 2 } };
  const html = render(
    changeServices(view, [{ dailyHealth: health, dailyMinutesDown: { '2026-11-20': 125 } }]),
  );
  t.match(html, 'data-days="-,-,-,,0/0.5,125/2,-" data-from="2026-11-15"');
  const svg = svgOf(html);
  const shapes = [...svg.matchAll(/<path class="([\w-]+)" d="([^"]+)"/g)].map(
    ([, kind, path = '']) => [kind, path.replace(/M\d+/g, 'M')] as const,
  );
  t.strictSame(
    shapes.map(([kind]) => kind),
    ['unmeasured', 'good', 'failed', 'down-3'],
  );
  t.equal(new Set(shapes.map(([, path]) => path)).size, 4);
  t.match(html, 'aria-label="Last 7 days: downtime on one day; 4 days were not measured"');
  const text = readText(html);
  t.match(text, '19 November: 0.5% of checks failed');
  t.match(text, '20 November: 2 hours 5 minutes down, 2% of checks failed');
});

t.test('the bars of many days are few elements', async (t) => {
  const html = render(makeView({ historyDays: 30 }));
  const svg = svgOf(html);
  t.equal((svg.match(/<path/g) ?? []).length, 1);
  const good = /<path class="good" d="([^"]+)"/.exec(svg)?.[1] ?? '';
  t.equal((good.match(/[Mm]/g) ?? []).length, 30);
});

t.test('a day is taller and darker the longer the service was down', async (t) => {
  const minutes = [1, 9, 10, 59, 60, 239, 240, 1_440];
  const days = minutes.map((_, at) => `2026-11-${14 + at}`);
  const view = makeView({ historyDays: 8 });
  const dailyMinutesDown = Object.fromEntries(days.map((day, at) => [day, minutes[at] ?? 0]));
  const svg = svgOf(render(changeServices(view, [{ dailyMinutesDown }])));
  const drawn = [...svg.matchAll(/<path class="([\w-]+)" d="M\d+ ([\d.]+)([^"]+)/g)];
  t.strictSame(
    drawn.map(([, kind, , rest = '']) => [kind, rest.split('v').length - 1]),
    [1, 2, 3, 4].map((step) => [`down-${step}`, 2]),
    'two days of each',
  );
  const tops = drawn.map(([, , top]) => Number(top));
  t.strictSame(
    tops,
    tops.toSorted((a, b) => b - a),
  );
  t.equal(new Set(tops).size, 4);
});

const named = (id: string, fields: Partial<DayIncident> = {}): DayIncident => ({
  ...{ id, title: { en: `Title ${id}`, de: `Titel ${id}` }, services: ['service-1'] },
  ...{ startedAt: '2026-11-19T10:00:00.000Z', endedAt: '2026-11-20T11:00:00.000Z' },
  ...fields,
});

t.test('a day names its incidents, for the script and for screen readers', async (t) => {
  const view = makeView({ historyDays: 7 });
  const dayIncidents = [
    named('a'),
    named('b', { services: ['service-2'] }),
    named('c', { startedAt: '2026-11-20T10:00:00.000Z', endedAt: null }),
  ];
  const html = render({
    ...changeServices(view, [{ dailyMinutesDown: { '2026-11-20': 14 } }]),
    ...{ dayIncidents, language: 'de' },
  });
  t.match(html, 'data-incidents="0:4-5,2:5-6"');
  t.match(html, 'data-incidents="1:4-5"');
  const list = /<div data-day-incidents hidden>(.*?)<\/div>/.exec(html)?.[1] ?? '';
  t.strictSame(
    [...list.matchAll(/<a href="([^"]+)" dir="auto">([^<]+)</g)].map(([, href, text]) => [href, text]),
    ['a', 'b', 'c'].map((id) => [`/de/incidents/${id}`, `Titel ${id}`]),
  );
  const [ofFirst = '', ofSecond = ''] = [...html.matchAll(/<ul class="visually-hidden">(.*?)<\/ul>/g)].map(
    ([, items]) => items ?? '',
  );
  t.equal(
    readText(ofFirst).trim(),
    '19. November: Kein Ausfall Titel a 20. November: 14 Minuten ausgefallen Titel a Titel c',
  );
  t.equal(
    readText(ofSecond).trim(),
    '19. November: Kein Ausfall Titel b',
    'a long one on its first day only',
  );
  t.match(ofFirst, '<a href="/de/incidents/a" tabindex="-1" dir="auto">', 'no stop of the Tab key');
  t.notMatch(render(view), /data-incidents|data-day-incidents/);
});
