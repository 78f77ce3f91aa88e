import t from 'tap';
import Type from 'typebox';
import { loadCalls, parseCallsQuery } from '../../../analytics/calls.js';
import { loadFailureRate } from '../../../analytics/failure-rates.js';
import { loadMessageGroups, parseMessageGroupsQuery } from '../../../analytics/message-groups.js';
import { loadMessages, parseMessagesQuery } from '../../../analytics/messages.js';
import { loadReporters } from '../../../analytics/reporters.js';
import { loadRequests, parseRequestsQuery } from '../../../analytics/requests.js';
import { systemClock } from '../../../lib/clock.js';
import { minuteMs } from '../../../lib/times.js';
import type { EventReader } from '../../../sql/own-store/load-event-rows.js';
import { Row } from '../../../sql/own-store/load-event-rows.js';
import { rowType } from '../../../sql/own-store/read-json-rows.js';
import { openOwn } from '../../support/own-store.js';
import { startTestService } from '../../support/service.js';

const api = await startTestService(t);
const { sql, clickhouse, clickhouseUrl } = api.stores;
const { origin, username, password, pathname } = new URL(clickhouseUrl);
const own = openOwn(t, {
  ...{ url: origin, username: decodeURIComponent(username), password: decodeURIComponent(password) },
  database: pathname.slice(1),
});
const names = [`it's`, 'a\\b', 'zwölf 🎉', '{braces:String}', 'a%20b&c=d', '\\N', '"quoted"'];
await api.post('/api/v2/events', {
  reporter: { reporterId: `it's\\ "me"`, englishName: 'Odd' },
  events: [{ endpoint: '/odd', status: 200, ms: 12.5 }],
});
await api.post(
  '/api/v1/events',
  names.flatMap((service) => [
    { service, endpoint: '/fine', status: 200, ms: 3 },
    { service, endpoint: '/fails', status: 503, message: `${service} failed\nbadly` },
  ]),
);
await api.settle();

/** Reads what the installation's client reads; both must agree. */
async function same(t: Tap, read: (clickhouse: EventReader) => Promise<unknown>): Promise<void> {
  const [usual, ours] = [await read(clickhouse), await read(own.begin())];
  t.strictSame(ours, usual);
}
type Tap = Pick<typeof t, 'strictSame'>;

t.test(
  'a real ClickHouse gives as a store of a page what it gives as that of the installation',
  async (t) => {
    const now = Math.ceil(Date.now() / minuteMs) * minuteMs;
    const clock = { ...systemClock, now: () => now };
    const range = { from: 'now-30m' };
    await same(t, (from) =>
      loadReporters({ clickhouse: from, sql, clock }, api.pageId, { windowSeconds: 3_600 }),
    );
    await same(t, (from) => loadMessages({ clickhouse: from }, api.pageId, parseMessagesQuery(range, now)));
    await same(t, (from) =>
      loadFailureRate({ clickhouse: from }, api.pageId, { from: now - 60 * minuteMs, to: now + minuteMs }),
    );
    const groups = parseMessageGroupsQuery(range, now);
    await same(t, (from) => loadMessageGroups({ clickhouse: from }, api.pageId, groups));
    const calls = parseCallsQuery(range, now);
    await same(t, (from) => loadCalls({ clickhouse: from, sql }, api.pageId, calls));
    for (const groupBy of ['service', 'endpoint', 'method', 'status', undefined]) {
      const query = parseRequestsQuery({ ...range, ...(groupBy !== undefined && { groupBy }) }, now);
      await same(t, (from) => loadRequests({ clickhouse: from }, api.pageId, query));
    }
    for (const service of [...names, `it's\\ "me"`]) {
      const query = parseRequestsQuery({ ...range, service }, now);
      const { series } = await loadRequests({ clickhouse: own.begin() }, api.pageId, query);
      const count = series.flatMap(({ points }) => points).reduce((sum, { count }) => sum + (count ?? 0), 0);
      t.ok(count > 0, `events of ${service} are found`);
    }
  },
);

t.test('parameters arrive as they are', async (t) => {
  const texts = [...names, 'tab\t', 'lines\r\n', '', 'NULL', `[1,'2']`];
  const parameters = { text: texts.join('|'), texts, number: 1.5, numbers: [1, 2] };
  const query = {
    query:
      'SELECT {text:String} AS text, {texts:Array(String)} AS texts, {number:Float64} AS number, {numbers:Array(UInt16)} AS numbers',
    parameters,
    rowsMax: 1,
  };
  const Texts = Type.Array(Type.String());
  const Numbers = Type.Array(Type.Number());
  const type = rowType(Row({ text: Type.String(), texts: Texts, number: Type.Number(), numbers: Numbers }));
  t.strictSame(await own.begin().loadRows(type, query), [parameters]);
});
