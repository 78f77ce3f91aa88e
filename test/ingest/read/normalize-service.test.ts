import fc from 'fast-check';
import t from 'tap';
import { normalizeService } from '../../../lib/event-fields.js';
import { propertyOf } from '../../support/property.js';

t.test('is trimmed and lower-cased', async (t) => {
  t.equal(normalizeService('  Shop-API '), 'shop-api');
  t.equal(normalizeService('ÉCOLE'), 'école');
  t.equal(normalizeService('a\udc00'), 'a\ufffd');
});

t.test('is undefined when the event belongs to the unassigned service', async (t) => {
  for (const raw of [undefined, null, '', '  ', 7, true, {}, ['shop'], 'a\u0007b', 'a\nb', 'x'.repeat(61)]) {
    t.equal(normalizeService(raw), undefined, JSON.stringify(raw));
  }
});

t.test('takes 60 characters, counted after trimming', async (t) => {
  t.equal(normalizeService(`  ${'x'.repeat(60)}  `), 'x'.repeat(60));
  t.equal(normalizeService('😀'.repeat(60)), '😀'.repeat(60));
  t.equal(normalizeService('😀'.repeat(61)), undefined);
});

t.test('is its own fixed point', async () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 30 }), (raw) => {
      const once = normalizeService(raw);
      return once === undefined || normalizeService(once) === once;
    }),
    propertyOf(t, { few: 1_250, many: 25_000 }),
  );
});
