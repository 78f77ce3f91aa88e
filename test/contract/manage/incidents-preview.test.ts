import t from 'tap';
import type { IncidentPreview } from '../../../contract/manage/incidents/incident-preview.js';
import type { ManagedIncident } from '../../../contract/manage/incidents/incidents.js';
import { systemClock } from '../../../lib/clock.js';
import { pngPixel } from '../../support/images.js';
import { loadKinds, outage } from '../../support/incidents.js';
import { makeKey, setPage } from '../../support/pages.js';
import { signInAs } from '../../support/people.js';
import { requestAt } from '../../support/request-at.js';
import { startTestService, withoutJobs } from '../../support/service.js';
import { startSmtpSink } from '../../support/smtp-sink.js';
import { waitUntil } from '../../support/wait-until.js';

/** Previews of an incident that somebody is writing. */

const sink = await startSmtpSink(t);
const service = await startTestService(t, {
  ...{ roles: withoutJobs, smtpUrl: sink.url, deliveryPollMs: 20 },
});
const { sql } = service.stores;
const deps = { sql, clock: systemClock };
await setPage(deps, { slug: 'acme', languages: ['en', 'de'], accent: '#ff0066' });
const { key } = await makeKey(deps, { slug: 'acme', scope: 'manage' });
const { headers: viewer } = await signInAs(deps, { slug: 'acme', role: 'viewer' });
const { headers: responder } = await signInAs(deps, { slug: 'acme', role: 'responder' });
const incidents = '/api/v1/pages/acme/incidents';
const send = (method: string, path: string, body?: unknown) => service.post(path, body, { method, key });
const preview = async (body: object, headers?: object) => {
  const answer = await service.post(`${incidents}/preview`, body, {
    ...(headers === undefined ? { key } : { key: null, headers: { ...headers } }),
  });
  return { status: answer.status, body: answer.body as IncidentPreview & { error: string } };
};
const open = async (fields: object = {}) => {
  const { body } = await send('POST', incidents, { ...outage, ...fields });
  return body as ManagedIncident;
};
/** Without what every incident has of its own. */
const common = (text: string) =>
  text
    .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'ID')
    .replaceAll(/token=[\w.-]+/g, 'token=TOKEN')
    .trim();
const mainOf = (html: string) => common(/<main[\s\S]*<\/main>/.exec(html)?.[0] ?? '');

t.test('200: the page is the very one that is published', async (t) => {
  const texts = { de: { title: 'Ausfall', summary: 'Wir *suchen*.' } };
  const written = { ...outage, texts };
  const { id } = await open(written);
  for (const language of ['en', 'de']) {
    const published = await requestAt(service.url, 'acme.localhost', `/${language}/incidents/${id}`);
    const { status, body } = await preview({ incidentId: id, language });
    t.equal(status, 200, JSON.stringify(body));
    t.equal(mainOf(body.page.html), mainOf(String(published.body)));
    t.equal(body.language, language);
    const ofDraft = await preview({ ...written, language });
    t.equal(mainOf(ofDraft.body.page.html), mainOf(String(published.body)), 'the draft draws the same');
    const by = language === 'de' ? 'person' : null;
    t.match(ofDraft.body.translated, { title: by, summary: by, update: null });
  }
  t.same(await loadKinds(service, id), ['incident.created'], 'nothing is announced');
});

t.test('200: the mail is the very one that subscribers get', async (t) => {
  const email = 'reader@example.com';
  await send('POST', '/api/v1/pages/acme/subscribers', { email, language: 'de', confirmed: true });
  const written = { ...outage, texts: { de: { title: 'Ausfall', summary: 'Wir **suchen**.' } } };
  const opening = await preview({ ...written, language: 'de' });
  const { id } = await open(written);
  const update = { body: 'It is *over*.', status: 'resolved' };
  const texts = { de: { body: 'Es ist *vorbei*.' } };
  const ending = await preview({ incidentId: id, language: 'de', update, texts });
  await send('POST', `${incidents}/${id}/updates`, { ...update, texts });
  await waitUntil('both mails are there', async () => sink.to(email).length === 2);
  for (const [i, { body }] of [opening, ending].entries()) {
    const sent = sink.to(email)[i];
    t.equal(body.mail.subject, sent?.subject);
    t.equal(common(body.mail.html), common(String(sent?.html)));
    t.equal(common(body.mail.text), common(String(sent?.text)));
  }
  t.match(ending.body.page.html, /Es ist <em>vorbei<\/em>/);
});

t.test('a draft stands over what is saved, and only there', async (t) => {
  const { id } = await open({ title: 'Saved title' });
  const { body } = await preview({ incidentId: id, language: 'en', title: 'Drafted title' });
  t.match(body.page.html, /Drafted title/);
  t.notMatch(body.page.html, /Saved title/);
  t.match(body.mail.subject, /Drafted title/);
  const { body: saved } = await send('GET', `${incidents}/${id}`);
  t.equal((saved as ManagedIncident).title, 'Saved title');
});

t.test('it says who translated each text', async (t) => {
  const { id } = await open({ title: 'By a machine', summary: 'Nobody yet.' });
  await sql`
    update translations set text = 'Von einer Maschine', translated_at = now()
    where source_hash = sha256('By a machine'::bytea) and language = 'de'`;
  const { body } = await preview({
    incidentId: id,
    language: 'de',
    update: { status: 'monitoring', body: 'x' },
  });
  t.same(body.translated, { title: 'machine', summary: 'none', update: 'none' });
  t.match(body.page.html, /Von einer Maschine/);
});

t.test('an empty draft and maintenance ahead can be looked at', async (t) => {
  const { status, body } = await preview({ language: 'en', title: ' ', texts: { de: { title: '' } } });
  t.equal(status, 200);
  t.match(body.page.html, /<h1/);
  const planned = await preview({
    ...{ language: 'en', type: 'maintenance', title: 'Upgrade', summary: 'We upgrade.' },
    ...{ startedAt: '2100-01-01T00:00:00Z', scheduledEndAt: '2100-01-01T01:00:00Z' },
  });
  t.match(planned.body.mail.subject, /Upgrade/);
  t.match(planned.body.mail.text, /2100/);
});

t.test('the logo is in the documents', async (t) => {
  await fetch(`${service.url}/api/v1/pages/acme/logo`, {
    ...{ method: 'PUT', body: new Uint8Array(pngPixel) },
    headers: { 'content-type': 'image/png', authorization: `Bearer ${key}` },
  });
  const { body } = await preview({ language: 'en', title: 'a', summary: 'b' });
  t.match(body.page.html, /<img src="data:image\/png;base64,/);
  t.match(body.mail.html, /<img src="data:image\/png;base64,/);
});

t.test('400, 403 and 404', async (t) => {
  t.match(await preview({ language: 'fr' }), { status: 400, body: { error: /\/language .*en, de/ } });
  t.match(await preview({ language: 'en', startedAt: 'soon' }), {
    ...{ status: 400, body: { error: /\/startedAt/ } },
  });
  t.equal((await preview({ language: 'en', unknown: 1 })).status, 400);
  t.equal((await preview({})).status, 400);
  const none = { language: 'en', incidentId: '00000000-0000-0000-0000-000000000000' };
  t.equal((await preview(none)).status, 404);
  t.equal((await preview({ language: 'en' }, viewer)).status, 403);
  t.equal((await preview({ language: 'en' }, responder)).status, 200);
});
