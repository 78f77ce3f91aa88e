import t from 'tap';
import { normalizeMethod } from '../../../lib/event-fields.js';

t.test('is upper-cased and trimmed; method-like words are kept', async (t) => {
  const cases = { get: 'GET', ' Post ': 'POST', PROPFIND: 'PROPFIND', 'm-search': 'M-SEARCH', X_1: 'X_1' };
  for (const [raw, expected] of Object.entries(cases)) t.equal(normalizeMethod(raw), expected, raw);
  t.equal(normalizeMethod('A'.repeat(20)), 'A'.repeat(20));
});

t.test('is undefined for a text that is no method', async (t) => {
  for (const raw of ['', ' ', 'GET /', '1GET', 'G\nET', 'ГET', '-', 'A'.repeat(21), 'A'.repeat(2_000_000)]) {
    t.equal(normalizeMethod(raw), undefined, raw.slice(0, 30));
  }
});
