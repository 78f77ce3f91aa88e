import t from 'tap';
import type { ManagedIncident } from '../../../contract/manage/incidents/incidents.js';
import { systemClock } from '../../../lib/clock.js';
import { loadKinds, outage } from '../../support/incidents.js';
import { makeKey, setPage } from '../../support/pages.js';
import { startTestService, withoutJobs } from '../../support/service.js';
import { startTranslator } from '../../support/translator.js';
import { waitUntil } from '../../support/wait-until.js';

/** Translations by people that come with an incident or an update. */

const translator = await startTranslator(t);
const service = await startTestService(t, {
  ...{ roles: withoutJobs, translateUrl: translator.url, deliveryPollMs: 20 },
});
const { sql } = service.stores;
const deps = { sql, clock: systemClock };
await setPage(deps, { slug: 'acme', languages: ['en', 'de', 'fr'] });
const { key } = await makeKey(deps, { slug: 'acme', scope: 'manage' });
const incidents = '/api/v1/pages/acme/incidents';
const send = (method: string, path: string, body?: unknown) => service.post(path, body, { method, key });
const load = async (id: string) => (await send('GET', `${incidents}/${id}`)).body as ManagedIncident;

t.test('201: the texts of people are there at once, and the machine translates the rest', async (t) => {
  const { status, body } = await send('POST', incidents, {
    ...outage,
    texts: { de: { title: ' Ausfall ', summary: 'Verbindungen brechen ab.' }, fr: { title: 'Panne' } },
  });
  t.equal(status, 201, JSON.stringify(body));
  const incident = body as ManagedIncident;
  t.match(incident.texts, {
    de: {
      title: { text: 'Ausfall', translated: 'person' },
      summary: { text: 'Verbindungen brechen ab.', translated: 'person' },
    },
    fr: { title: { text: 'Panne', translated: 'person' } },
  });
  t.same(await loadKinds(service, incident.id), ['incident.created']);
  await waitUntil('the rest is translated', async () => {
    const { texts } = await load(incident.id);
    return texts['fr']?.summary?.translated === 'machine';
  });
  t.match((await load(incident.id)).texts['de'], { title: { text: 'Ausfall', translated: 'person' } });
  const rows = await sql<{ action: string; target: string }[]>`
    select action, target_id as target from audit_log where target_name = ${outage.title} order by id`;
  t.same(
    [...rows].map(({ action }) => action),
    ['incident.create', 'incident-text.update', 'incident-text.update'],
  );
});

t.test('201: an update comes with its translations', async (t) => {
  const opened = await send('POST', incidents, { ...outage, title: 'Second' });
  const { id } = opened.body as ManagedIncident;
  const posted = await send('POST', `${incidents}/${id}/updates`, {
    ...{ body: 'It is over.', status: 'resolved', texts: { de: { body: 'Es ist vorbei.' } } },
  });
  t.equal(posted.status, 201, JSON.stringify(posted.body));
  t.match((await load(id)).texts['de']?.updates, [{ body: 'Es ist vorbei.', translated: 'person' }]);
  t.same(await loadKinds(service, id), ['incident.created', 'incident.resolved']);
});

t.test('400: what cannot be a translation is named, and nothing is opened', async (t) => {
  const count = async () => (await sql`select 1 from incidents`).length;
  const before = await count();
  const wrong: [object, RegExp][] = [
    [{ es: { title: 'a' } }, /^\/texts .*de, fr/],
    [{ en: { title: 'a' } }, /^\/texts /],
    [{ de: { title: 'a\u0007' } }, /title/],
    [{ de: { summary: ' ' } }, /\/texts\/de\/summary/],
    [{ de: { body: 'a' } }, /body/],
  ];
  for (const [texts, expected] of wrong) {
    const { status, body } = await send('POST', incidents, { ...outage, texts });
    t.equal(status, 400, JSON.stringify(body));
    t.match((body as { error: string }).error, expected);
  }
  const twice = { title: 'Same', summary: 'Same', texts: { de: { title: 'A', summary: 'B' } } };
  t.equal((await send('POST', incidents, { ...outage, ...twice })).status, 400);
  t.equal(await count(), before);
});
