import t from 'tap';
import { systemClock } from '../../../lib/clock.js';
import { addConfirmed } from '../../support/mail-setup.js';
import { makeManageKeys } from '../../support/pages.js';
import { startTestService, withoutJobs } from '../../support/service.js';

const service = await startTestService(t, { roles: withoutJobs });
const { sql } = service.stores;
const deps = { sql, clock: systemClock };
const { read: key, other: otherKey } = await makeManageKeys(deps);
const path = '/api/v1/pages/acme/audience';
const ask = (query = '', by = key) =>
  service.get(`${path}${query}`, by === '' ? {} : { authorization: `Bearer ${by}` });

t.test('200: nobody, until somebody has confirmed; each in the language of the subscription', async (t) => {
  t.same((await ask()).body, { subscribers: 0, languages: {}, webhooks: 0 });
  const page = { id: service.pageId };
  await addConfirmed({ sql, page }, ['a@example.com', 'b@example.com'], 'de');
  await addConfirmed({ sql, page }, ['c@example.com', 'gone@example.com'], 'en');
  await addConfirmed({ sql, page: { id: service.otherPageId } }, ['d@example.com'], 'fr');
  await sql`
    insert into subscribers (id, page_id, email, language, created_at, requested_at)
    values (gen_random_uuid(), ${page.id}, 'new@example.com', 'en', now(), now())`;
  await sql`
    insert into suppressions (page_id, email, reason, created_at)
    values (${page.id}, 'gone@example.com', 'bounced', now())`;
  t.same((await ask()).body, { subscribers: 3, languages: { de: 2, en: 1 }, webhooks: 0 });
});

t.test('400, 401 and 404: an unknown event, no key, and the key of another page', async (t) => {
  t.equal((await ask('?event=incident.exploded')).status, 400);
  t.equal((await ask('', '')).status, 401);
  t.equal((await ask('', otherKey)).status, 404);
});
