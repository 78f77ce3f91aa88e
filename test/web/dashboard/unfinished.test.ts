import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import t from 'tap';
import { KeptNote } from '../../../web/dashboard/kit/chart/chart-frame.js';
import { Legend } from '../../../web/dashboard/kit/chart/legend.js';
import { Change } from '../../../web/dashboard/kit/figure.js';
import { UptimeStrip } from '../../../web/dashboard/kit/uptime-strip.js';

const at = Date.parse('2026-11-14T12:00:00.000Z');
const nothing = { keptFrom: undefined, unfinishedFrom: undefined };

t.test('a legend says in text from when on steps are not over', async (t) => {
  const legendOf = (unfinished: number | undefined) =>
    renderToString(
      h(Legend, { time: '', items: [], hidden: new Set<string>(), onToggle: () => {}, unfinished }),
    );
  t.match(legendOf(at), /Lighter from 14 Nov, \d\d:00: not over yet/);
  t.notMatch(legendOf(undefined), /not over/);
});

t.test('a chart with a gap says below it why there is one', async (t) => {
  t.match(
    renderToString(h(KeptNote, { notes: { ...nothing, keptFrom: at } })),
    /^<p class="note chart-note">Figures before 14 Nov, \d\d:00 are no longer kept\.<\/p>$/,
  );
  t.equal(renderToString(h(KeptNote, { notes: nothing })), '');
});

t.test('a change against a period that is not kept says “no figures”', async (t) => {
  const change = (before: number | null, isKept: boolean) =>
    renderToString(h(Change, { now: 12, before, isGoodWhen: 'lower', isKept }));
  t.match(change(null, false), /no figures.*against the period before/);
  t.equal(change(null, true), '', 'nothing was counted before');
  t.match(change(0, true), /new/);
});

t.test('the last part of a strip that runs is lighter and says so', async (t) => {
  const strip = (runningFrom: number | undefined) =>
    renderToString(
      h(UptimeStrip, { uptimes: [100, 90, 100], uptime: 96, titleAt: (i) => `part ${i}`, runningFrom }),
    );
  t.match(strip(2), /<rect class="good running".*<title>part 2: 100%, not over yet<\/title>/);
  t.match(strip(2), /aria-label="[^"]*The last part is not over yet\."/);
  t.notMatch(strip(undefined), /running|not over/);
});
