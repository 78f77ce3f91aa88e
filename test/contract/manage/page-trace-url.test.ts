import t from 'tap';
import { traceHref } from '../../../contract/manage/trace-url.js';
import { systemClock } from '../../../lib/clock.js';
import { makeManageKeys } from '../../support/pages.js';
import { startTestService } from '../../support/service.js';

const api = await startTestService(t);
const deps = { sql: api.stores.sql, clock: systemClock };
const { write: key, other: otherKey } = await makeManageKeys(deps);
const path = '/api/v1/pages/acme';
const send = (traceUrl: unknown, as = key) => api.post(path, { traceUrl }, { method: 'PATCH', key: as });
const stored = async () =>
  ((await api.get(path, { authorization: `Bearer ${key}` })).body as { traceUrl: unknown }).traceUrl;
const template = 'https://tempo.example/trace/{traceId}?span={spanId}';

t.test('200: the address of traces is changed and removed', async (t) => {
  t.equal(await stored(), null);
  t.match(await send(` ${template} `), { status: 200, body: { traceUrl: template } });
  t.equal(await stored(), template);
  const { body } = await api.get('/api/public/acme/status');
  t.notMatch(JSON.stringify(body), 'tempo.example', 'readers do not see it');
  t.match(await send(null), { status: 200, body: { traceUrl: null } });
});

t.test('400: an address that leads nowhere, or where an id wants', async (t) => {
  await send(template);
  const wrong: [traceUrl: string, message: RegExp][] = [
    ['', /needs \{traceId\}/],
    ['https://tempo.example/', /needs \{traceId\}/],
    ['https://tempo.example/{traceId}/{user}', /has \{user\} in it/],
    ['https://{traceId}.example/', /behind the host/],
    ['https://me:secret@tempo.example/{traceId}', /user name or password/],
    ['javascript:alert("{traceId}")', /must be an address such as/],
    ['/trace/{traceId}', /must be an address such as/],
    ['https://[/{traceId}', /must be an address such as/],
  ];
  for (const [traceUrl, message] of wrong)
    t.match(await send(traceUrl), { status: 400, body: { error: message, field: '/traceUrl' } }, traceUrl);
  t.match(await send(`https://tempo.example/{traceId}/${'x'.repeat(500)}`), { status: 400 });
  t.match(await send(7), { status: 400 });
  t.equal(await stored(), template);
});

t.test('403: with the key of another page', async (t) => {
  t.match((await send('https://other.example/{traceId}', otherKey)).status, /40[34]/);
  t.equal(await stored(), template);
});

t.test('a link has the ids in it, and there is none without them', async (t) => {
  const ids = { traceId: 'a$&b/?', spanId: 'c' };
  t.equal(traceHref(template, ids), 'https://tempo.example/trace/a%24%26b%2F%3F?span=c');
  t.equal(traceHref(template, { ...ids, spanId: '' }), null);
  t.equal(
    traceHref('https://t.example/{traceId}', { ...ids, spanId: '' }),
    'https://t.example/a%24%26b%2F%3F',
  );
  t.equal(traceHref(template, { traceId: '', spanId: 'c' }), null);
  t.equal(traceHref(null, ids), null);
});
