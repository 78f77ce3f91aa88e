import t from 'tap';
import { proposeSlug } from '../../../lib/slug.js';
import {
  bodyOfChange,
  bodyOfNew,
  emptyValues,
  settingsOf,
} from '../../../web/dashboard/screens/monitors/form/values.js';

t.test('a slug says the name as far as its letters can', async (t) => {
  for (const [name, slug] of [
    ['Öffentliche API', 'oeffentliche-api'],
    ['  Café – Größe № 1 ', 'cafe-groesse-no-1'],
    ['日本', ''],
    ['x'.repeat(80), 'x'.repeat(63)],
  ] as const) {
    t.equal(proposeSlug(name), slug);
  }
  const made = ['東京', '大阪', 'Київ'].map((name) => proposeSlug(name, 'monitor'));
  t.equal(new Set(made).size, 3, 'names without Latin letters differ');
  t.strictSame(
    made.filter((slug) => !/^monitor-[a-z0-9]{1,7}$/.test(slug)),
    [],
  );
  t.equal(proposeSlug('東京', 'monitor'), made[0], 'and are the same again');
  t.equal(proposeSlug(' ', 'monitor'), '', 'nothing is proposed for no name');
});

t.test('each kind sends its own settings, and nothing that is kept', async (t) => {
  const values = {
    ...emptyValues,
    name: ' Shop ',
    url: ' https://shop.example.com/ ',
    headers: null,
    body: null,
  };
  t.strictSame(Object.keys(settingsOf('tcp', values)), [
    'everySeconds',
    'failuresToDown',
    'url',
    'timeoutMs',
    'degradedOverMs',
  ]);
  t.notOk('headers' in settingsOf('http', values));
  t.match(bodyOfNew('http', values), { slug: 'shop', name: 'Shop', url: 'https://shop.example.com/' });
  t.match(settingsOf('http', { ...values, headers: [{ name: '', value: '' }] }), { headers: [] });
});

t.test('a change has the changed fields alone, and null for names that are gone', async (t) => {
  const values = { ...emptyValues, name: 'Shop', names: { de: 'Laden' }, everySeconds: 300 };
  const saved = { type: 'http', names: { fr: 'Magasin' }, descriptions: {} } as const;
  t.strictSame(bodyOfChange({ everySeconds: 300 }, values, saved), { everySeconds: 300 });
  t.strictSame(bodyOfChange({ names: values.names }, values, saved), { names: { de: 'Laden', fr: null } });
});
