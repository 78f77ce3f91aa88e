import t from 'tap';
import { loadMessages, parseMessagesQuery } from '../../analytics/messages.js';
import { openTestClickHouse } from '../support/stores.js';
import { insertRequests, newPageId } from './support.js';

const { clickhouse } = await openTestClickHouse(t);
const start = Math.floor(Date.now() / 60_000) * 60_000 - 3_600_000;
const iso = (ms: number): string => new Date(ms).toISOString();
const page = newPageId();
const failure = { endpoint: '/pay', method: 'POST', status: 502 };
await insertRequests(clickhouse, page, [
  { ...failure, at: start + 1_000, message: 'older' },
  { ...failure, at: start + 2_500, message: 'newest of its minute' },
  { ...failure, at: start + 61_000, service: 'billing', message: 'next minute' },
  { ...failure, at: start + 62_000, endpoint: '/refund', status: 400, message: 'refused' },
]);
await insertRequests(clickhouse, newPageId(), [{ ...failure, at: start + 3_000, message: 'theirs' }]);

async function read(query: Record<string, string>) {
  const range = { from: iso(start), to: iso(start + 3_600_000) };
  return loadMessages({ clickhouse }, page, parseMessagesQuery({ ...range, ...query }, Date.now()));
}

t.test('lists the newest message per endpoint and minute, newest first', async (t) => {
  t.same(await read({}), {
    ...{ keptFrom: null, notKept: null },
    messages: [
      {
        at: iso(start + 62_000),
        service: 'api',
        endpoint: '/refund',
        method: 'POST',
        status: 400,
        message: 'refused',
      },
      {
        at: iso(start + 61_000),
        service: 'billing',
        endpoint: '/pay',
        method: 'POST',
        status: 502,
        message: 'next minute',
      },
      {
        at: iso(start + 2_500),
        service: 'api',
        endpoint: '/pay',
        method: 'POST',
        status: 502,
        message: 'newest of its minute',
      },
    ],
    truncated: false,
  });
});

t.test('filters exactly, and by the millisecond', async (t) => {
  const texts = async (query: Record<string, string>): Promise<string[]> =>
    (await read(query)).messages.map(({ message }) => message);
  t.same(await texts({ service: 'billing' }), ['next minute']);
  t.same(await texts({ endpoint: '/refund' }), ['refused']);
  t.same(await texts({ service: 'Billing ', endpoint: '/pay/?a' }), ['next minute']);
  t.same(await texts({ from: iso(start + 61_000), to: iso(start + 62_000) }), ['next minute']);
});

t.test('says when the answer is truncated', async (t) => {
  const answer = await read({ limit: '2' });
  t.equal(answer.messages.length, 2);
  t.equal(answer.truncated, true);
});
