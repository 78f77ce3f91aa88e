import fc from 'fast-check';
import t from 'tap';
import { monitorSlugs } from '../../../../control/monitors/import/import-upptime.js';
import { propertyOf } from '../../../support/property.js';

const none = new Map<string, string>();

t.test('a slug stays, or gets the characters of a monitor', async (t) => {
  t.strictSame(monitorSlugs(['api-v1', 'user_community', 'Shop', 'example.com'], none), [
    ...[{ slug: 'api-v1' }, { slug: 'user-community' }, { slug: 'shop' }, { slug: 'example-com' }],
  ]);
  t.strictSame(monitorSlugs(['監控', 'a b'], none), [
    { reason: '"監控" cannot be the slug of a monitor' },
    { reason: '"a b" cannot be the slug of a monitor' },
  ]);
});

t.test('the site whose slug is unchanged or chosen keeps it; of other equals none gets it', async (t) => {
  t.strictSame(monitorSlugs(['api_v1', 'api-v1'], none), [
    { reason: 'the site api-v1 has the slug api-v1, too' },
    { slug: 'api-v1' },
  ]);
  t.strictSame(monitorSlugs(['api_v1', 'api.v1'], none), [
    { reason: 'the site api.v1 has the slug api-v1, too' },
    { reason: 'the site api_v1 has the slug api-v1, too' },
  ]);
  t.strictSame(monitorSlugs(['api_v1', 'api.v1'], new Map([['api.v1', 'europe']])), [
    { slug: 'api-v1' },
    { slug: 'europe' },
  ]);
  t.match(monitorSlugs(['a', 'a'], none), [{ reason: /the site a has/ }, { reason: /the site a has/ }]);
  t.match(monitorSlugs(['a', 'b'], new Map([['b', 'a']])), [{ reason: String }, { reason: String }]);
});

t.test('no two sites share a slug, whatever they are called', async (t) => {
  const slug = fc.string({
    unit: fc.constantFrom('a', 'A', 'b', '-', '_', '.', 'é'),
    minLength: 1,
    maxLength: 4,
  });
  fc.assert(
    fc.property(fc.uniqueArray(slug), fc.dictionary(slug, slug), (slugs, renames) => {
      const given = monitorSlugs(slugs, new Map(Object.entries(renames))).flatMap((one) =>
        'slug' in one ? [one.slug] : [],
      );
      t.equal(new Set(given).size, given.length);
      for (const one of given) t.match(one, /^[a-z0-9-]+$/);
    }),
    propertyOf(t, { few: 50, many: 1_000 }),
  );
});
