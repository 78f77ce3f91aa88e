import t from 'tap';
import { textRooms } from '../../../contract/public/status-page.js';
import {
  appendUpdate,
  createIncident,
  loadFeedIncidents,
  loadRecentIncidents,
  loadShownIncident,
  parseNewIncident,
  parseNewUpdate,
} from '../../../control/incidents/index.js';
import { type IncidentId, type PageId, parseId } from '../../../lib/ids.js';
import { hourMs } from '../../../lib/times.js';
import { testActor } from '../../support/actor.js';
import { makeMovingClock } from '../../support/moving-clock.js';
import { makePage } from '../../support/pages.js';
import { openTestPostgres } from '../../support/stores.js';

const { sql } = await openTestPostgres(t);
const clock = makeMovingClock();
const deps = { sql, clock, by: testActor };

type Fields = { summary: string; hoursAgo: number; isOver?: boolean; bodies?: readonly string[] };

async function add(pageId: PageId, { summary, hoursAgo, isOver, bodies = [] }: Fields): Promise<IncidentId> {
  const startedAt = new Date(clock.now() - hoursAgo * hourMs).toISOString();
  const input = parseNewIncident({
    title: 'Slow',
    summary,
    startedAt,
    resolvedAt: isOver ? startedAt : null,
  });
  const id = parseId<IncidentId>((await createIncident(deps, { pageId, input })).id);
  if (id === undefined) throw new Error('It has no id.');
  for (const body of bodies) {
    await appendUpdate(deps, { pageId, incidentId: id, input: parseNewUpdate({ body }) });
  }
  return id;
}

const long = 'word '.repeat(3_999).trim();

t.test('a view gets the newest updates and the count of all', async (t) => {
  const { id: pageId } = await makePage(sql, { slug: 'counted' });
  const bodies = ['one', 'two', 'three', 'four'];
  const id = await add(pageId, { summary: 'Short.', hoursAgo: 1, bodies });
  const query = { pageId, language: 'en' };
  const [recent] = await loadRecentIncidents(deps, query);
  t.match(recent, { id, summary: { en: 'Short.' }, updateCount: 4 });
  t.strictSame(
    recent?.updates.map(({ body }) => body),
    bodies.slice(1).map((en) => ({ en })),
  );
  const whole = await loadShownIncident(deps, { ...query, incidentId: id });
  t.equal(whole?.updates.length, 4);
  t.equal(whole?.updateCount, undefined);
  t.equal(
    await loadShownIncident(deps, { ...query, pageId: (await makePage(sql)).id, incidentId: id }),
    undefined,
  );
});

t.test('a view has the texts of open incidents first, then of the newest, up to its room', async (t) => {
  const { id: pageId } = await makePage(sql, { slug: 'roomy' });
  for (let hoursAgo = 30; hoursAgo > 0; hoursAgo -= 1) {
    await add(pageId, { summary: long, hoursAgo, isOver: hoursAgo !== 30, bodies: [long] });
  }
  const shown = await loadRecentIncidents(deps, { pageId, language: 'en' });
  t.equal(shown.length, 30, 'every incident is there');
  const withTexts = shown.filter(({ summary }) => summary !== null);
  t.strictSame(withTexts.at(-1), shown.at(-1), 'the open one, which is the oldest');
  t.strictSame(withTexts.slice(0, -1), shown.slice(0, withTexts.length - 1), 'and the newest');
  t.ok(
    shown.every(({ updates }) => updates.length === 1),
    'each update has its time and status',
  );
  const texts = shown.flatMap(({ summary, updates }) => [summary, ...updates.map(({ body }) => body)]);
  const bytes = texts.reduce((sum, text) => sum + (text?.['en']?.length ?? 0), 0);
  const { textBytes, textChars } = textRooms.status;
  t.ok(bytes <= textBytes && bytes > textBytes / 5, 'within the room', { bytes });
  for (const text of texts) {
    if (text === null) continue;
    t.ok((text['en'] ?? '').length <= textChars + 1);
    t.match(text['en'], /^word( word)* …$/, 'a text is cut after a word');
  }
});

t.test('a feed and the view of an incident have whole texts, in the language of the view', async (t) => {
  const page = await makePage(sql, { slug: 'whole', languages: ['en', 'de', 'fr'] });
  const id = await add(page.id, { summary: long, hoursAgo: 1, bodies: [long] });
  await sql`
    update translations set text = language || ${long}, translated_at = now()
    where page_id = ${page.id} and source_hash = sha256(convert_to(${long}, 'UTF8'))`;
  const query = { pageId: page.id, language: 'de' };
  const texts = { en: long, de: `de${long}` };
  const [entry] = await loadFeedIncidents(deps, query);
  for (const shown of [entry, await loadShownIncident(deps, { ...query, incidentId: id })]) {
    t.strictSame(shown?.summary, texts);
    t.strictSame(
      shown?.updates.map(({ body }) => body),
      [texts],
    );
  }
});
