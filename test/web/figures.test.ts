import t from 'tap';
import type { PublicFigure } from '../../contract/public/public-figures.js';
import { seriesOf } from '../../web/state/figure-scale.js';
import { renderStatusView } from '../../web/views/status-view.js';
import { makeView, pageAssets, readStructure, readText } from '../support/page-views.js';

const figure: PublicFigure = {
  ...{ title: 'Checkout', window: '24h', stepSeconds: 3_600 },
  ...{ from: '2026-11-21T12:00:00.000Z', to: '2026-11-21T16:00:00.000Z' },
  p95Ms: [210, null, 480, 220],
  requests: [1_200, null, 3_400, 1_100],
  successRate: [100, null, 98.7, 99.94],
};
const view = makeView();

const draw = (publicFigures: readonly PublicFigure[] | null, language = 'en'): string =>
  renderStatusView({ ...view, publicFigures, language }, pageAssets);

t.test('a figure is a chart, a sentence and a table', async (t) => {
  const html = draw([figure]);
  const text = readText(html);
  t.match(text, 'Performance Checkout Last 24 hours');
  t.match(text, '95th percentile 220 ms between 210 ms and 480 ms');
  t.match(text, 'Requests an hour 1,100 between 1,100 and 3,400');
  t.match(text, 'Success rate 99.94% between 98.7% and 100%');
  t.match(html, 'aria-label="95th percentile, Last 24 hours: 220 ms at the end, between 210 ms and 480 ms"');
  t.match(text, '14:00 UTC 480 ms 3,400 98.7%');
  t.match(text, '13:00 UTC – – – ', 'a gap is no zero');
  t.match(text, 'A step with fewer than 100 requests has no value.');
  t.match(html, /<path class="average dots" d="M1 /, 'a point between gaps is a dot');
  t.match(readText(draw([{ ...figure, successRate: [100, 100] }])), 'Success rate 100% always 100%');
});

t.test('a page says when there is nothing to show', async (t) => {
  t.notMatch(draw([]), 'class="figures"');
  t.match(readText(draw(null)), 'Performance These figures cannot be shown right now.');
  const quiet = draw([{ ...figure, p95Ms: [null], requests: [null], successRate: [null] }]);
  t.match(readText(quiet), 'There were too few requests for a figure: each point needs 100.');
  t.notMatch(quiet, 'class="as-table"');
});

t.test('every language has its own words for figures', async (t) => {
  const words = ['en', 'de', 'fr', 'es', 'ja'].map((language) => {
    const [, section = ''] = /class="figures"(.*?)<\/section>/s.exec(draw([figure], language)) ?? [];
    return readText(`<p ${section}`).replaceAll(/[\d.,:%–\s]|Checkout|UTC|ms/g, '');
  });
  t.equal(new Set(words).size, 5);
  t.match(draw([figure], 'de'), /<h3 dir="auto" lang="en">Checkout/, 'a title is in the default language');
});

t.test('a title is text', async (t) => {
  const title = '"><img src=x onerror=alert(1)></h3><script>alert(2)</script>';
  t.same(readStructure(draw([{ ...figure, title }])), readStructure(draw([figure])));
});

t.test('an axis of rates ends at 100', async (t) => {
  const axes = seriesOf(figure).map(({ kind, bottom, top }) => [kind, bottom, top]);
  t.same(axes, [
    ['p95', 0, 600],
    ['requests', 0, 4_000],
    ['successRate', 98, 100],
  ]);
});

t.test('six figures of a week stay within their bytes', async (t) => {
  const points = (of: (at: number) => number) => Array.from({ length: 28 }, (_, at) => of(at));
  const six = Array.from({ length: 6 }, (_, n) => ({
    ...figure,
    ...{ title: `Figure ${n}`, window: '7d' as const, stepSeconds: 21_600 },
    p95Ms: points((at) => 100 + ((at * 7_919 * (n + 1)) % 400)),
    requests: points((at) => 1_000 + ((at * 104_729 * (n + 1)) % 9_000)),
    successRate: points((at) => 100 - ((at * 31 * (n + 1)) % 70) / 100),
  }));
  const { brotliCompressSync } = await import('node:zlib');
  const bytes = (html: string): number => brotliCompressSync(html).length;
  const more = bytes(draw(six)) - bytes(draw([]));
  t.ok(more <= 8_000, `${more}`);
});
