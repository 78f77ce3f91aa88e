import t from 'tap';
import type { PublicObjective } from '../../contract/public/public-objectives.js';
import { renderStatusView } from '../../web/views/status-view.js';
import { makeView, pageAssets, readStructure, readText } from '../support/page-views.js';

const months = Array.from({ length: 12 }, (_, i) => ({
  month: new Date(Date.UTC(2025, 11 + i)).toISOString().slice(0, 7),
  ...{ percent: 99.95, isMet: true },
}));
const objective: PublicObjective = {
  ...{ name: 'Checkout', target: 99.9, unit: 'requests' },
  months: months.map((one, i) => {
    if (i === 0) return { ...one, percent: null, isMet: null };
    return i === 4 ? { ...one, percent: 99.89, isMet: false } : one;
  }),
};
const view = makeView();
const draw = (objectives: readonly PublicObjective[], language = 'en'): string =>
  renderStatusView({ ...view, objectives, language }, pageAssets);
const sectionOf = (html: string): string =>
  /<section class="objectives".*?<\/section>/s.exec(html)?.[0] ?? '';

t.test('an objective has its target and its months, in words as well as in colours', async (t) => {
  const html = sectionOf(draw([objective]));
  const text = readText(html);
  t.match(text, 'Objectives Checkout Target: 99.9% of requests Dec 25 – no figure Jan 26 99.95% met');
  t.match(text, 'Apr 26 99.89% missed');
  t.match(text, 'Nov 26, so far 99.95% met');
  t.equal(html.match(/<li class="met">/g)?.length, 10);
  t.equal(html.match(/<li class="missed">/g)?.length, 1);
  t.match(html, '<time datetime="2026-11">');
});

t.test('decimals of strict targets are all written', async (t) => {
  const strict = {
    ...objective,
    ...{ target: 99.99999, unit: 'time' as const },
    months: [{ ...(months[0] ?? { month: '2025-12' }), percent: 99.99998, isMet: false }],
  };
  t.match(readText(sectionOf(draw([strict]))), /99\.99999% of the time.*99\.99998% missed/);
});

t.test('a page without objectives has no section, and says when months cannot be read', async (t) => {
  t.equal(sectionOf(draw([])), '');
  const text = readText(sectionOf(draw([{ ...objective, months: null }])));
  t.match(text, 'Checkout Target: 99.9% of requests These figures cannot be shown right now.');
});

t.test('every language has its own words for objectives', async (t) => {
  const words = ['en', 'de', 'fr', 'es', 'ja'].map((language) =>
    readText(sectionOf(draw([objective], language))).replaceAll(/[\d.,:%–\s]|Checkout/g, ''),
  );
  t.equal(new Set(words).size, 5);
  t.match(draw([objective], 'de'), /<h3 dir="auto" lang="en">Checkout/, 'a name is in the default language');
});

t.test('a name is text', async (t) => {
  const name = '"><img src=x onerror=alert(1)></h3><script>alert(2)</script>';
  t.same(readStructure(draw([{ ...objective, name }])), readStructure(draw([objective])));
});

t.test('ten objectives stay within their bytes', async (t) => {
  const ten = Array.from({ length: 10 }, (_, n) => ({
    ...objective,
    name: `Objective ${n}`,
    months: months.map((one, i) => ({ ...one, percent: 100 - ((i * 31 * (n + 1)) % 70) / 100 })),
  }));
  const { brotliCompressSync } = await import('node:zlib');
  const bytes = (html: string): number => brotliCompressSync(html).length;
  const more = bytes(draw(ten)) - bytes(draw([]));
  t.ok(more <= 2_000, `${more}`);
});
