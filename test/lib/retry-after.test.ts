import t from 'tap';
import { parseRetryAfter } from '../../lib/back-off.js';

const now = Date.parse('1994-11-06T08:00:00.000Z');
const later = Date.parse('1994-11-06T08:49:37.000Z');

t.test('seconds and the three forms of an HTTP date are read', async (t) => {
  t.equal(parseRetryAfter('0', now), now);
  t.equal(parseRetryAfter(' 120 ', now), now + 120_000);
  t.equal(parseRetryAfter('Sun, 06 Nov 1994 08:49:37 GMT', now), later);
  t.equal(parseRetryAfter('Sunday, 06-Nov-94 08:49:37 GMT', now), later);
  t.equal(parseRetryAfter('Sun Nov  6 08:49:37 1994', now), later, 'in UTC, without saying so');
});

t.test('anything else is no time', async (t) => {
  for (const header of [
    '',
    '-1',
    '1.5',
    '1e3',
    '9999999999',
    '1994-11-06T08:49:37Z',
    'Sun, tomorrow GMT',
    'soon',
  ])
    t.equal(parseRetryAfter(header, now), undefined, header);
  t.equal(parseRetryAfter(undefined, now), undefined);
});
