import { readFile } from 'node:fs/promises';
import fc from 'fast-check';
import t from 'tap';
import { stringify } from 'yaml';
import { parseUpptimeConfig, parseUpptimeNotes } from '../../../../control/monitors/import/upptime-config.js';
import { likeServiceError } from '../../../support/like-service-error.js';
import { propertyOf } from '../../../support/property.js';

const nothing = {
  ...{ name: undefined, url: undefined, slug: undefined, check: undefined, port: undefined },
  ...{ method: undefined, expectStatus: undefined, expectBody: undefined, notes: [] as string[] },
};

t.test('the sites of a configuration, with the fields that the import needs', async (t) => {
  const file = new URL('../../../../../test/fixtures/upptime-forms/.upptimerc.yml', import.meta.url);
  const text = await readFile(file, 'utf8');
  const sites = parseUpptimeConfig(text, '.upptimerc.yml');
  t.equal(sites.length, 17);
  t.strictSame(sites[1], {
    ...nothing,
    name: 'Shop: checkout',
    url: 'https://shop.example.com/checkout',
    slug: 'shop_checkout',
    notes: ['its body is not sent: set it here'],
  });
  t.match(sites[0], { expectStatus: '200,201,202,404', notes: ['its headers are not sent: set them here'] });
  t.strictSame(sites[4], {
    ...nothing,
    name: 'Name server',
    url: '192.0.2.53',
    check: 'tcp-ping',
    port: '53',
  });
  const otherEnds = text.replaceAll('\n', '\r\n');
  t.strictSame(parseUpptimeConfig(otherEnds, '.upptimerc.yml'), sites, 'with other line ends');
});

t.test('the flow form of a list, and values of other types', async (t) => {
  const text = 'sites: [{name: a, port: 0x35, url: [1], check: null, slug: true}, b, null]';
  t.strictSame(parseUpptimeConfig(text, 'x'), [{ ...nothing, name: 'a', port: '53' }, nothing, nothing]);
});

t.test('merged keys', async (t) => {
  const text = 'x: &tcp {check: tcp-ping, port: 53}\nsites: [{<<: *tcp, name: a, url: 192.0.2.1}]';
  t.strictSame(parseUpptimeConfig(text, 'x'), [
    { ...nothing, name: 'a', url: '192.0.2.1', check: 'tcp-ping', port: '53' },
  ]);
});

t.test('each setting is read, noted or aside, and no value is in a note', async (t) => {
  const site = {
    ...{ name: 'a', url: 'https://a.example.com', icon: 'x.svg', verbose: true, method: 'post' },
    ...{ expectedStatusCodes: [401], __dangerous__body_down_if_text_missing: 'well' },
    ...{ headers: ['Authorization: geheim'], body: 'geheim', maxRedirects: 2, maxResponseTime: 5_000 },
    ...{ tags: ['x'], __dangerous__insecure: true, __dangerous__disable_verify_host: true, ownKey: 'geheim' },
    ...{ __dangerous__disable_verify_peer: false },
  };
  const [found] = parseUpptimeConfig(stringify({ sites: [site] }), 'x');
  t.strictSame(found, {
    ...nothing,
    ...{ name: 'a', url: 'https://a.example.com', method: 'POST', expectStatus: '401', expectBody: 'well' },
    notes: [
      'its headers are not sent: set them here',
      'its body is not sent: set it here',
      'up to 5 redirects are followed',
      'a slow response does not make it degraded: set that with --degraded-over',
      'its tags are not there',
      'a certificate that is not valid fails here',
      'its setting ownKey is not read',
    ],
  });
  const file = { owner: 'acme', sites: [site], notifications: [{ type: 'slack' }], 'x-own': 'geheim' };
  t.strictSame(parseUpptimeNotes(stringify(file), 'x'), [
    'notifications are not read: make channels with heartline channel create',
    'its setting x-own is not read',
  ]);
});

t.test('texts without a list of sites', async (t) => {
  for (const other of ['', 'sites:', 'sites:\n  name: a', 'sites: 3', '- a', 'a'])
    t.strictSame(parseUpptimeConfig(other, 'x'), [], other);
});

t.test('a text that is not YAML', async (t) => {
  for (const [text, fault] of [
    ['\tsites:\n- name: a', /^x is not YAML: /],
    ['sites:\n  - name: "a', /^x is not YAML: /],
    // Aliases of aliases would take more memory than the machine has.
    [
      `a: &a [x]\n${[...'bcdefghijklmnop'].map((to, at) => `${to}: &${to} [${`*${'abcdefghijklmnop'[at]},`.repeat(9)}]`).join('\n')}`,
      /alias/,
    ],
  ] as const) {
    t.throws(() => parseUpptimeConfig(text, 'x'), likeServiceError('invalidBody', { message: fault }));
  }
});

t.test('any text of a site', async () => {
  fc.assert(
    fc.property(fc.array(fc.record({ name: fc.string(), url: fc.string({ unit: 'grapheme' }) })), (sites) => {
      const read = parseUpptimeConfig(stringify({ owner: 'x', sites }), 'x');
      t.strictSame(
        read,
        sites.map((site) => ({ ...nothing, ...site })),
      );
    }),
    propertyOf(t, { few: 50, many: 1_000 }),
  );
});
