import t from 'tap';
import type { ManagedIncident } from '../../../contract/manage/incidents/incidents.js';
import { systemClock } from '../../../lib/clock.js';
import { loadAnnounced, loadEntry, loadKinds, outage } from '../../support/incidents.js';
import { makeKey, setPage } from '../../support/pages.js';
import { requestAt } from '../../support/request-at.js';
import { type Answer, startTestService, withoutJobs } from '../../support/service.js';
import { startTranslator } from '../../support/translator.js';
import { waitUntil } from '../../support/wait-until.js';

const translator = await startTranslator(t);
const service = await startTestService(t, {
  ...{ roles: withoutJobs, translateUrl: translator.url, deliveryPollMs: 20 },
});
const { sql } = service.stores;
const deps = { sql, clock: systemClock };
await setPage(deps, { slug: 'acme', languages: ['en', 'de', 'fr'] });
const { key } = await makeKey(deps, { slug: 'acme', scope: 'manage' });
const incidents = '/api/v1/pages/acme/incidents';
const send = (method: string, path: string, body?: unknown, headers = {}) =>
  service.post(path, body, { method, key, headers });

const load = async (id: string) => (await send('GET', `${incidents}/${id}`)).body as ManagedIncident;

const open = async (fields: object = {}) => {
  const { body } = await send('POST', incidents, { ...outage, ...fields });
  return (body as { id: string }).id;
};

const post = async (id: string, body: string, fields: object = {}) => {
  const answer = await send('POST', `${incidents}/${id}/updates`, { body, ...fields });
  return (answer.body as { id: string }).id;
};

const untilTranslated = (id: string) =>
  waitUntil('all is translated', async () => {
    const { texts, updates } = await load(id);
    return ['de', 'fr'].every((language) => {
      const { title, summary, updates: bodies } = texts[language] ?? { updates: [] };
      return title && summary && bodies.length === updates.length;
    });
  });

t.test('texts are there in all languages, with who translated them', async (t) => {
  const id = await open();
  const updateId = await post(id, 'A full disk.');
  await untilTranslated(id);
  const { texts } = await load(id);
  t.same(texts['en'], {
    title: { text: outage.title, translated: null },
    summary: { text: outage.summary, translated: null },
    updates: [{ id: updateId, body: 'A full disk.', translated: null }],
  });
  t.same(texts['de'], {
    title: { text: `[de] ${outage.title}`, translated: 'machine' },
    summary: { text: `[de] ${outage.summary}`, translated: 'machine' },
    updates: [{ id: updateId, body: '[de] A full disk.', translated: 'machine' }],
  });
  const { body } = await send('GET', `${incidents}/${id}?language=fr`);
  t.same(Object.keys((body as ManagedIncident).texts), ['en', 'fr']);
});

t.test('a person corrects a translation in silence, for good, and the page shows it at once', async (t) => {
  const id = await open({ title: 'Broken pipes' });
  const updateId = await post(id, 'We look for the leak.');
  await untilTranslated(id);
  const announced = await loadKinds(service, id);
  const tag = (await send('GET', `${incidents}/${id}`)).headers.get('etag') ?? '';
  const texts = { title: 'Rohrbruch', updates: [{ id: updateId, body: 'Wir suchen das Leck.' }] };
  const answer = await send('PUT', `${incidents}/${id}/texts/de`, texts, { 'if-match': tag });
  t.equal(answer.status, 200, JSON.stringify(answer.body));
  t.match(answer.body, {
    texts: {
      de: {
        title: { text: 'Rohrbruch', translated: 'person' },
        summary: { translated: 'machine' },
        updates: [{ id: updateId, body: 'Wir suchen das Leck.', translated: 'person' }],
      },
      fr: { title: { text: '[fr] Broken pipes', translated: 'machine' } },
    },
  });
  t.match(await loadEntry(service, id), {
    title: { en: 'Broken pipes', de: 'Rohrbruch' },
    updates: [{ body: { de: 'Wir suchen das Leck.' } }],
  });
  const shown = await requestAt(service.url, 'acme.localhost', `/de/incidents/${id}`);
  t.ok(String(shown.body).includes('Rohrbruch'));
  t.same(await loadKinds(service, id), announced, 'nothing is announced');
  const again = await send('PUT', `${incidents}/${id}/texts/de`, texts);
  t.equal(again.headers.get('etag'), answer.headers.get('etag'), 'the same body again changes nothing');
  const rows = await sql`
    select before, after from audit_log where action = 'incident-text.update' and target_id = ${`${id}/de`}`;
  t.match(
    [...rows],
    [
      {
        before: { title: { text: '[de] Broken pipes', translated: 'machine' } },
        after: { title: { text: 'Rohrbruch', translated: 'person' } },
      },
    ],
  );
  t.equal(rows.length, 1);
  await sql`update translations set next_attempt_at = now() where page_id = ${service.pageId}`;
  await open({ title: 'Broken pipes', summary: 'Once more.' });
  t.match((await load(id)).texts['de'], { title: { text: 'Rohrbruch', translated: 'person' } });
});

t.test('a machine translation that arrives is no reason for 412', async (t) => {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  translator.answer(async ({ q }) => {
    if (q.some((text) => text.includes('Held back'))) await held;
    return undefined;
  });
  const id = await open({ title: 'Held back' });
  const before = await send('GET', `${incidents}/${id}`);
  t.equal((before.body as ManagedIncident).texts['de']?.title, null);
  const ifMatch = { 'if-match': before.headers.get('etag') ?? '' };
  const { status } = await send('PUT', `${incidents}/${id}/texts/de`, { title: 'Von Hand' }, ifMatch);
  t.equal(status, 200);
  release();
  await untilTranslated(id);
  t.match((await load(id)).texts, {
    de: { title: { text: 'Von Hand', translated: 'person' } },
    fr: { title: { text: '[fr] Held back', translated: 'machine' } },
  });
});

t.test('texts of the default language correct the original, which is translated again', async (t) => {
  const id = await open({ title: 'Typpo' });
  const updateId = await post(id, 'Anothr typo.');
  const kinds = await loadKinds(service, id);
  const answer = await send('PUT', `${incidents}/${id}/texts/en`, {
    ...{ title: 'Typo', summary: 'No typo.', updates: [{ id: updateId, body: 'Another typo.' }] },
  });
  t.match(answer, { status: 200, body: { title: 'Typo', summary: 'No typo.' } });
  t.match((answer.body as ManagedIncident).updates[0], { body: 'Another typo.', correctedAt: /Z$/ });
  t.match(await loadEntry(service, id), {
    title: { en: 'Typo' },
    updates: [{ body: { en: 'Another typo.' } }],
  });
  await untilTranslated(id);
  t.match((await load(id)).texts['de']?.title, { text: '[de] Typo', translated: 'machine' });
  t.same(await loadKinds(service, id), kinds);
  const rows = await sql<{ action: string }[]>`
    select action from audit_log where target_id in (${id}, ${updateId}) order by id`;
  t.same(
    rows.map(({ action }) => action),
    ['incident.create', 'incident-update.create', 'incident.update', 'incident-update.update'],
  );
});

t.test('what was announced stays as it was, however often an update is corrected', async (t) => {
  const id = await open();
  const first = await post(id, 'One.', { status: 'identified' });
  const path = `${incidents}/${id}/updates/${first}`;
  const correct = (fields: object) => send('PATCH', path, fields);
  t.match(await correct({ body: 'Two.' }), { status: 200, body: { updates: [{ body: 'Two.' }] } });
  await correct({ body: 'Three.', status: 'monitoring' });
  const announcedBodies = async () =>
    (await loadAnnounced(sql, id)).map(({ entry }) =>
      entry.updates.map(({ status, body }) => `${status} ${body['en']}`),
    );
  t.same(await announcedBodies(), [[], ['identified One.']]);
  await post(id, 'Next.');
  await correct({ body: 'One.' });
  await correct({ body: 'Four.', notify: true });
  t.same(await announcedBodies(), [
    [],
    ['identified One.'],
    ['monitoring Three.', 'investigating Next.'],
    ['monitoring Four.', 'investigating Next.'],
  ]);
  t.same(await loadKinds(service, id), [
    'incident.created',
    'incident.update_posted',
    'incident.update_posted',
    'incident.update_posted',
  ]);
  t.match((await loadEntry(service, id)).updates, [{ status: 'monitoring', body: { en: 'Four.' } }, {}]);
});

t.test('the status of a correction neither resolves nor reopens', async (t) => {
  const id = await open();
  const first = await post(id, 'One.');
  const path = `${incidents}/${id}/updates/${first}`;
  t.match((await send('PATCH', path, { status: 'resolved' })).body, { state: 'open' });
  await post(id, 'Over.', { status: 'resolved' });
  t.match((await send('PATCH', path, { status: 'monitoring' })).body, { state: 'resolved' });
});

t.test('204: a deleted update is gone, with what waits to announce it; the end stays', async (t) => {
  const id = await open();
  const one = await post(id, 'One.');
  const end = await post(id, 'Over.', { status: 'resolved' });
  const remove = (updateId: string) => send('DELETE', `${incidents}/${id}/updates/${updateId}`);
  t.equal((await remove(one)).status, 204);
  t.equal((await remove(one)).status, 404);
  t.same(await loadKinds(service, id), ['incident.created', 'incident.resolved']);
  t.equal((await remove(end)).status, 204);
  t.same(await loadKinds(service, id), ['incident.created', 'incident.resolved']);
  t.match(await load(id), { state: 'resolved', updates: [] });
  t.same((await loadEntry(service, id)).updates, []);
  const announced = await loadAnnounced(sql, id);
  t.match(announced.at(-1), { updateId: null, entry: { updates: [] } });
  const [row] =
    await sql`select action, before, after from audit_log where target_id = ${one} order by id desc limit 1`;
  t.match(row, { action: 'incident-update.delete', before: { body: 'One.', incidentId: id }, after: null });
});

t.test('400 and 404: texts that do not fit change nothing', async (t) => {
  const id = await open({ title: 'Same', summary: 'Same' });
  const updateId = await post(id, 'A text.');
  const other = await post(await open(), 'Of another incident.');
  const before = await load(id);
  const put = (language: string, body: object): Promise<Answer> =>
    send('PUT', `${incidents}/${id}/texts/${language}`, body);
  t.match(await put('it', { title: 'Ciao' }), { status: 404, body: { error: /en, de, fr/ } });
  t.match(await put('de', { updates: [{ id: other, body: 'Fremd' }] }), {
    ...{ status: 400, body: { error: /\/updates\/0\/id/ } },
  });
  const twice = [
    { id: updateId, body: 'Eins' },
    { id: updateId, body: 'Zwei' },
  ];
  t.match(await put('de', { title: 'Neu', updates: twice }), {
    status: 400,
    body: { error: /\/updates\/1\/id/ },
  });
  t.equal((await put('de', { title: ' ' })).status, 400);
  t.equal((await put('de', { title: 'Zwei\nZeilen' })).status, 400);
  t.equal((await put('de', { title: 'Gleich', summary: 'Anders' })).status, 400);
  t.equal((await put('en', { updates: [{ id: updateId, body: 'x'.repeat(20_001) }] })).status, 400);
  const after = await load(id);
  t.equal(after.revision, before.revision);
  t.equal(after.texts['de']?.title?.text === 'Neu', false);
});
