import t from 'tap';
import { parseMessagesQuery } from '../../analytics/messages.js';
import { parseReportersQuery } from '../../analytics/reporters.js';
import { parseRequestsQuery } from '../../analytics/requests.js';
import type { QueryParameters } from '../../lib/query-parameters.js';

const good = { from: '2026-01-31T00:00:00Z', to: '2026-01-31T01:00:00Z', step: '60' };

const refused: [parameter: string, query: QueryParameters][] = [
  ['from', { ...good, from: undefined }],
  ['from', { ...good, from: '2026-02-30T00:00:00Z' }],
  ['from', { ...good, from: '2026-01-31T00:00:00' }],
  ['from', { ...good, from: '2026-01-31' }],
  ['from', { ...good, from: '1769817600' }],
  ['from', { ...good, from: '2026-01-31T00:00:60Z' }],
  ['from', { ...good, from: '1960-01-31T00:00:00Z' }],
  ['to', { ...good, to: 'now' }],
  ['to', { ...good, to: '2126-01-31T00:00:00Z' }],
  ['from', { ...good, from: good.to }],
  ['from', { ...good, from: ['2026-01-31T00:00:00Z', '2026-01-31T00:00:00Z'] }],
  ['step', { ...good, step: undefined }],
  ['step', { ...good, step: '90' }],
  ['step', { ...good, step: '0' }],
  ['step', { ...good, step: '-60' }],
  ['step', { ...good, step: '6e1' }],
  ['step', { ...good, step: '60.0' }],
  ['step', { ...good, to: '2026-02-28T00:00:00Z' }],
  ['limit', { ...good, limit: '0' }],
  ['limit', { ...good, limit: '201' }],
  ['limit', { ...good, to: '2026-02-01T00:00:00Z', groupBy: 'service', limit: '200' }],
  ['status', { ...good, status: '99' }],
  ['status', { ...good, status: '5xx' }],
  ['groupBy', { ...good, groupBy: 'page_id' }],
  ['groupBy', { ...good, groupBy: '' }],
  ['statuss', { ...good, statuss: '200' }],
  ['__proto__', JSON.parse('{"__proto__": "x"}')],
  ['constructor', { ...good, constructor: 'x' }],
];

for (const [parameter, query] of refused) {
  t.throws(
    () => parseRequestsQuery(query),
    { kind: 'invalidParameter', message: new RegExp(`"${parameter}"`) },
    `${parameter} in ${JSON.stringify(query)}`,
  );
}

t.match(parseRequestsQuery({ ...good, from: '2026-01-31T02:00:00+02:00' }), { from: Date.parse(good.from) });
t.throws(() => parseReportersQuery({ window: '59' }), { message: /"window"/ });
t.throws(() => parseReportersQuery({ window: '1209601' }), { message: /"window"/ });
t.same(parseReportersQuery({}), { windowSeconds: 3600 });
t.throws(() => parseMessagesQuery({ ...good }), { message: /"step"/ });
t.throws(() => parseMessagesQuery({ from: good.from, to: good.to, limit: '1001' }), { message: /"limit"/ });
