import { readFile } from 'node:fs/promises';
import fc from 'fast-check';
import t from 'tap';
import { parse, stringify } from 'yaml';
import {
  type ConfiguredSite,
  parseUpptimeConfig,
} from '../../../../control/monitors/import/upptime-config.js';

type Config = { sites: Record<string, unknown>[] };

/** The fields as a YAML library reads them. */
function expectedOf(text: string): ConfiguredSite[] {
  const { sites }: Config = parse(text);
  const field = (site: Record<string, unknown>, name: string) =>
    site[name] === undefined ? undefined : String(site[name]);
  return sites.map((site) => ({
    ...{ name: field(site, 'name'), url: field(site, 'url'), slug: field(site, 'slug') },
    ...{ check: field(site, 'check'), port: field(site, 'port') },
  }));
}

t.test('the fixture is read as by a YAML library', async (t) => {
  const file = new URL('../../../../../test/fixtures/upptime-forms/.upptimerc.yml', import.meta.url);
  const text = await readFile(file, 'utf8');
  t.strictSame(parseUpptimeConfig(text), expectedOf(text));
  t.strictSame(parseUpptimeConfig(text.replaceAll('\n', '\r\n')), expectedOf(text), 'with other line ends');
});

const text = fc.oneof(
  fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
    .filter((value) => !/[\p{Cc}\u2028\u2029\ufeff]/u.test(value)),
  fc.constantFrom(
    'a: b',
    'ends with a wide space\u3000',
    "it's",
    '"quoted"',
    '# no comment',
    'a #b',
    '- a',
    '[a]',
    '{a}',
    '$SECRET',
    '192.0.2.1',
    '2001:db8::1',
  ),
);
const site = fc.record(
  {
    expectedStatusCodes: fc.array(fc.integer({ min: 100, max: 599 })),
    name: text,
    headers: fc.array(text),
    check: fc.constantFrom('http', 'tcp-ping', 'ws', 'ssl'),
    url: text,
    body: fc.constantFrom('url: x\nport: 1', 'name: x'),
    port: fc.integer({ min: 1, max: 65_535 }),
    slug: text,
  },
  { requiredKeys: ['name', 'url'] },
);
const style = fc.record({
  indentSeq: fc.boolean(),
  singleQuote: fc.boolean(),
  defaultStringType: fc.constantFrom('PLAIN' as const, 'QUOTE_SINGLE' as const, 'QUOTE_DOUBLE' as const),
});

t.test('any configuration is read as by a YAML library, in every style it writes', async (t) => {
  fc.assert(
    fc.property(fc.array(site, { minLength: 1 }), style, (sites, options) => {
      const written = stringify({ owner: 'x', sites, assignees: ['y'] }, { ...options, lineWidth: 0 });
      t.strictSame(parseUpptimeConfig(written), expectedOf(written));
    }),
    { numRuns: 300 },
  );
});

t.test('other texts have no sites', async (t) => {
  for (const other of [
    '',
    'sites:',
    'sites: [{name: a}]',
    'sites:\n  name: a',
    '\tsites:\n- name: a',
    ': - ] {',
  ])
    t.strictSame(parseUpptimeConfig(other), [], other);
  fc.assert(fc.property(fc.string(), (any) => Array.isArray(parseUpptimeConfig(`sites:\n${any}`))));
});
