import { fileURLToPath } from 'node:url';
import { Resvg } from '@resvg/resvg-js';
import fc from 'fast-check';
import t from 'tap';
import type { LedgerEntry } from '../../../contract/incidents.js';
import { minuteMs } from '../../../lib/times.js';
import { type Card, cardSize, renderCard } from '../../../web/cards/card.js';
import { drawable, fitLines } from '../../../web/cards/card-text.js';
import { drawCard } from '../../../web/cards/draw-card.js';
import { incidentCard } from '../../../web/cards/incident-card.js';
import { statusCard } from '../../../web/cards/status-card.js';
import { kindOfDay, lastDays, markDays } from '../../../web/state/day-marks.js';
import { changeServices, makeEntry, makeMaintenance, makeView } from '../../support/page-views.js';
import { propertyOf } from '../../support/property.js';

const fontFile = import.meta.resolve('@expo-google-fonts/inter/700Bold/Inter_700Bold.ttf');
const font = { fontFiles: [fileURLToPath(fontFile)], loadSystemFonts: false, defaultFontFamily: 'Inter' };
const card: Card = { pageName: 'Acme Cloud', state: 'up', headline: 'All services are up' };

t.test('it is a PNG of the size that the page states', async (t) => {
  const png = await drawCard(card);
  t.equal(png.subarray(1, 4).toString(), 'PNG');
  t.strictSame({ width: png.readUInt32BE(16), height: png.readUInt32BE(20) }, cardSize);
});

t.test('each thing that it says makes another picture', async (t) => {
  const days = markDays({ dailyMinutesDown: {}, dailyHealth: { '2026-11-21': { rate: 0 } } }, ['2026-11-21']);
  const cards: Card[] = [
    card,
    { ...card, pageName: 'Acme' },
    { ...card, state: 'trouble' },
    { ...card, headline: 'Search is down' },
    { ...card, note: 'Resolved' },
    { ...card, bars: { days, columns: 21, text: '' } },
    { ...card, bars: { days, columns: 21, text: 'Last day' } },
  ];
  const drawn = await Promise.all(cards.map(async (one) => (await drawCard(one)).toString('base64')));
  t.equal(new Set(drawn).size, cards.length);
});

t.test('texts of tenants are text', async (t) => {
  const hostile = '</text><image href="file:///etc/passwd"/>&';
  const svg = renderCard({ pageName: hostile, state: 'up', headline: hostile, note: hostile });
  t.notMatch(svg, /<image/);
  t.match(svg, /&lt;\/text>&lt;image href=/);
});

t.test('a text that the font cannot draw is left out, and emoji of every text', async (t) => {
  t.equal(drawable('Acme 🚀 Cloud 👩🏽‍💻\n🇩🇪 '), 'Acme Cloud');
  for (const text of ['Größe, façade – “ok”…', 'Ελληνικά', 'Українська', 'Tiếng Việt'])
    t.equal(drawable(text), text);
  for (const text of ['障害に対応しています', 'مرحبا', 'Acme 日本']) t.equal(drawable(text), '');
});

t.test('no line is wider than its room, whatever the text', async (t) => {
  const widthOf = (line: string, size: number): number => {
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="9000" height="200"><text x="0" y="100" font-family="Inter" font-weight="700" font-size="${size}">${line.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</text></svg>`;
    return new Resvg(svg, { font }).innerBBox()?.width ?? 0;
  };
  const room = { widthPx: 888, sizes: [68, 52, 42], linesMax: 3 };
  const letters = fc.constantFrom(
    ...'abcdefghijklmnopqrstuvwxyz ABCDEFGHIJKLMNOPQRSTUVWXYZ 0123456789 äöüßéñ ШщЖΩ .,:;-–…%&<@',
  );
  fc.assert(
    fc.property(fc.string({ unit: letters, maxLength: 200 }), (text) => {
      const { size, lines } = fitLines(text, room);
      t.ok(lines.length <= room.linesMax);
      for (const line of lines) if (widthOf(line, size) > room.widthPx) return false;
      return true;
    }),
    propertyOf(t, { few: 25, many: 300 }),
  );
  for (const worst of ['W', 'M', '@', '…', 'Щ', 'Ω', 'i', 'w', 'ß', '-']) {
    const { size, lines } = fitLines(worst.repeat(400), room);
    t.ok(
      lines.every((line) => widthOf(line, size) <= room.widthPx),
      worst,
    );
    t.match(lines.at(-1), /…$/, worst);
  }
});

t.test('a longer headline is smaller, and ends with an ellipsis when it is too long', async (t) => {
  const room = { widthPx: 888, sizes: [68, 42], linesMax: 2 };
  t.strictSame(fitLines('All services are up', room), { size: 68, lines: ['All services are up'] });
  t.equal(fitLines('word '.repeat(13), room).size, 42);
  t.match(fitLines('word '.repeat(100), room).lines, [/^word/, /word…$/]);
  t.strictSame(fitLines('', room), { size: 68, lines: [] });
});

t.test('the card of a page has its state, and of each day the worst of all services', async (t) => {
  const view = makeView();
  const [today = '', yesterday = ''] = lastDays(view.now, 2).toReversed();
  t.match(statusCard(view), { pageName: view.brand.name, state: 'up', headline: 'All services are up' });
  const troubled = changeServices(view, [
    { status: 'down', dailyMinutesDown: { [today]: 3 } },
    { dailyMinutesDown: { [today]: 90, [yesterday]: 1 } },
  ]);
  const { state, headline, bars } = statusCard(troubled);
  t.equal(state, 'trouble');
  t.equal(headline, 'Service 1 is down');
  t.equal(bars?.text, 'Last 30 days');
  t.strictSame(bars?.days.slice(-3).map(kindOfDay), ['good', 'down-1', 'down-3']);
  t.equal(statusCard({ ...view, summary: { ...view.summary, services: [] } }).bars, undefined);
});

t.test('the card of an incident has its title and how far it is', async (t) => {
  const { brand } = makeView();
  const cardOf = (incident: LedgerEntry) => {
    const { title, ...rest } = incident;
    return incidentCard({ brand, language: 'en', incident: { ...rest, title, updates: [] } });
  };
  t.match(cardOf(makeEntry()), { state: 'trouble', headline: 'Slow logins', note: /^Ongoing · 21 Nov/ });
  const resolvedAt = new Date(Date.parse('2026-11-21T15:30:00Z') + minuteMs).toISOString();
  t.match(cardOf(makeEntry({ resolvedAt })), { state: 'up', note: /^Resolved · / });
  t.match(cardOf(makeMaintenance()), { state: 'maintenance' });
  t.match(cardOf(makeMaintenance({ maintenanceState: 'completed', resolvedAt })), { state: 'up' });
});
