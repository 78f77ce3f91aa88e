import t from 'tap';
import Type, { type TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { Check } from 'typebox/value';
import { isLine, Line, linePatterns, lineRule, lineRuleOf } from '../../contract/line.js';
import { ApplyFile } from '../../contract/manage/apply.js';
import { parseName } from '../../control/channels/create-channel.js';
import { parseTitle } from '../../control/incidents/index.js';
import { parseMonitorName, parsePublicSettings } from '../../control/monitors/public-settings.js';
import { checkName, parseFooterLinks } from '../../control/pages/parse-page.js';
import { parsePersonName } from '../../control/people/user.js';
import { parseAlias } from '../../lib/alias.js';
import { describeErrors } from '../../lib/parse-body.js';
import { toLine } from '../../lib/visible-line.js';
import { makeRouteTable } from '../support/route-table.js';

const kinds = Object.keys(linePatterns) as (keyof typeof linePatterns)[]; // It has no other keys.

t.test(
  'a line has no control characters, no end of a line, and mostly no marks that turn text',
  async (t) => {
    const ends = ['\0', '\t', '\n', '\r', '\x1b', '\x7f', '\x85', '\u2028', '\u2029'];
    const taken = kinds.flatMap((kind) =>
      ends.filter((end) => isLine(kind, `a${end}b`)).map((end) => [kind, end]),
    );
    const replaced = ['title', 'titleOrNothing'].flatMap((kind) => [
      [kind, '\u2028'],
      [kind, '\u2029'],
    ]);
    t.strictSame(taken, replaced, 'a title gets a space for a separator of lines');
    const turns = ['\u202a', '\u202b', '\u202c', '\u202d', '\u202e', '\u2066', '\u2067', '\u2068', '\u2069'];
    const turned = kinds.filter((kind) => turns.some((turn) => isLine(kind, `a${turn}b`)));
    const ended = ['markedLine', 'markedLineOrNothing', 'title', 'titleOrNothing'];
    t.strictSame(turned, ended, 'names of monitors and titles end their marks');
    const halved = kinds.filter((kind) => isLine(kind, 'a\ud83d') || isLine(kind, '\ude00a'));
    t.strictSame(halved, ['title', 'titleOrNothing'], 'half a character in a title is replaced');
    const blank = ['', ' ', '\u00a0', '\u3000', '\ufeff '];
    const shown = kinds.filter(
      (kind) => !kind.endsWith('OrNothing') && blank.some((text) => isLine(kind, text)),
    );
    t.strictSame(shown, [], 'a name shows something');
  },
);

t.test('names of every script, signs and emoji are lines', async (t) => {
  const names = [
    'API',
    'Größe & Co. — „neu“',
    'متجر',
    'חנות',
    '商店',
    '👩‍👩‍👧 family',
    'a  b',
    'é',
    '<b>',
    'x'.repeat(300),
  ];
  t.strictSame(
    kinds.flatMap((kind) => names.filter((name) => !isLine(kind, name))),
    [],
  );
  t.ok(isLine('title', ' cut \n'), 'a title is cut first');
});

t.test('a text that takes long to refuse does not exist', async (t) => {
  const texts = [`${' '.repeat(50_000)}\0`, `${'a '.repeat(25_000)}\0`, `a${' '.repeat(50_000)}\0`];
  t.strictSame(
    kinds.flatMap((kind) => texts.filter((text) => isLine(kind, text))),
    [],
  );
});

t.test('the patterns of the contract are ones that clients in other languages compile', async (t) => {
  const sent = JSON.stringify([makeRouteTable().routes, ApplyFile]);
  const patterns = [...sent.matchAll(/"pattern":("(?:[^"\\]|\\.)*")/g)].map(([, text = '""']) =>
    String(JSON.parse(text)),
  );
  t.strictSame(
    [...new Set(patterns)].filter((pattern) => /\(\?(?!:)|\\ud[89a-f]/i.test(pattern)),
    [],
  );
  t.ok(patterns.includes(linePatterns.line), `${patterns.length} patterns`);
});

t.test('one sentence says what a name must be', async (t) => {
  const check = Compile(Type.Object({ name: Line('line', { charsMax: 10 }) }));
  t.match(describeErrors(check, { name: 'a\nb' }), `/name ${lineRule('line')}; it was`);
  t.strictSame(
    kinds.map((kind) => lineRuleOf(linePatterns[kind])),
    kinds.map(lineRule),
  );
});

t.test('the verbs check names as well, for commands', async (t) => {
  const verbs: Record<string, (name: string) => unknown> = {
    ...{
      page: checkName,
      person: parsePersonName,
      channel: parseName,
      incident: parseTitle,
      service: parseMonitorName,
    },
    link: (label) => parseFooterLinks([{ label, url: 'https://example.com/' }]),
    key: (name) => parseAlias('/name', name),
  };
  const wrong = Object.entries(verbs).flatMap(([verb, parse]) => {
    const ends = verb === 'incident' || verb === 'link' ? [] : ['a\u2028b'];
    const refused = ['a\0b', 'a\x1bb', 'a\x85b', 'a\nb', ...ends, ' ', ''].filter(
      (name) => !throws(() => parse(name)),
    );
    return [
      ...refused.map((name) => [verb, name]),
      ...(throws(() => parse('Größe 商店 1')) ? [[verb, 'right']] : []),
    ];
  });
  t.strictSame(wrong, []);
  t.equal(parseMonitorName('a\u202eb'), 'a\u202eb\u202c', 'a mark ends with the name');
});

t.test('a title takes what programs put around names, and its marks end with it', async (t) => {
  const page = { languages: ['en', 'de'], defaultLanguage: 'en' };
  const describe = (description: string) =>
    parsePublicSettings(page, { description, descriptions: { de: description } });
  const labelOf = (label: string) => parseFooterLinks([{ label, url: 'https://example.com/' }])[0]?.label;
  const long = 'x'.repeat(200);
  const cases: [string, string][] = [
    ['\u2068Checkout\u2069 is slow', '\u2068Checkout\u2069 is slow'],
    [' a \u202eb', 'a \u202eb\u202c'],
    ['\u2067a \u202ab', '\u2067a \u202ab\u202c\u2069'],
    ['a\u2028\u2029b\u2028', 'a b'],
    ['cut \ud83d', 'cut \ufffd'],
  ];
  t.strictSame(
    cases.map(([text]) => [parseTitle(text), labelOf(text), describe(text)]),
    cases.map(([, shown]) => [
      shown,
      shown,
      { hidden: false, description: shown, descriptions: { de: shown }, link: null },
    ]),
  );
  t.equal(parseTitle(`${long}${'y'.repeat(99)}\u202e`), `${long}${'y'.repeat(99)}`, 'ends have no room');
  t.match(
    cases.map(([, shown]) => [parseTitle(shown), describe(shown).description]),
    cases.map(([, shown]) => [shown, shown]),
    'a stored title stays as it is',
  );
  t.equal(labelOf(toLine('a\u202e\nb')), 'a\u202e b\u202c', 'so does what is imported');
  t.equal(describe(toLine('a\u202e\nb')).description, 'a\u202e b\u202c');
  t.throws(() => describe('a\nb'), { message: new RegExp(lineRule('titleOrNothing')) });
});

function throws(call: () => unknown): boolean {
  try {
    call();
    return false;
  } catch {
    return true;
  }
}

/** Names that people do not make up for others to read. */
const otherNames = new Set([
  ...['hostname', 'username', 'filename'],
  // The name in the path of a channel, which the verb checks, and that of the header of a request.
  ...['PUT /api/v1/pages/:page/channels/:id name', 'headers name'],
  // The verb checks it, and keeps one that is stored.
  ...['PUT /api/v1/pages/:page/templates/:slug name', 'POST /api/v1/pages/:page/queries name'],
  'PUT /api/v1/pages/:page/queries/:id name',
]);

type Found = { at: string; schema: TSchema };

/** Texts of a schema under a key that is the name of something, at any depth. */
function namesIn(schema: unknown, at: string, key = ''): Found[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const {
    type,
    properties = {},
    items,
    anyOf = [],
    patternProperties = {},
  } = schema as {
    type?: string;
    properties?: Record<string, unknown>;
    items?: unknown;
    anyOf?: unknown[];
    patternProperties?: Record<string, unknown>;
  }; // JSON Schema has these parts.
  const isName = /(?:name|title|label)s?$|^descriptions?$/i.test(key) && !otherNames.has(key);
  const own = type === 'string' && isName ? [{ at: `${at} ${key}`, schema: schema as TSchema }] : [];
  return [
    ...own,
    ...Object.entries(properties).flatMap(([name, field]) =>
      otherNames.has(`${key} ${name}`) ? [] : namesIn(field, at, name),
    ),
    ...Object.values(patternProperties).flatMap((field) => namesIn(field, at, key)),
    ...[items, ...anyOf].flatMap((part) => namesIn(part, at, key)),
  ];
}

t.test('every name in a body that people send is a line', async (t) => {
  const bodies: [string, TSchema][] = makeRouteTable().routes.flatMap((route) =>
    'body' in route && !/events|observations|database-health|\/v1\/(?:traces|metrics)|mcp/.test(route.path)
      ? [[`${route.method} ${route.path}`, route.body.schema]]
      : [],
  );
  const found = bodies.flatMap(([at, schema]) => namesIn(schema, at));
  const unchecked = found.filter(({ at }) => !otherNames.has(at));
  const wrong = unchecked.filter(
    ({ schema }) =>
      !('pattern' in schema && lineRuleOf(String(schema.pattern)) !== undefined) || Check(schema, 'a\0b'),
  );
  t.strictSame(
    wrong.map(({ at }) => at),
    [],
  );
  t.ok(found.length > 40, `${found.length} names`);
});

t.test('no name in an answer must be a line, so that old ones stay readable', async (t) => {
  const answers = makeRouteTable().routes.flatMap((route) =>
    'answers' in route ? [[route.path, JSON.stringify(route.answers)] as const] : [],
  );
  const patterns = kinds.map((kind) => JSON.stringify(linePatterns[kind]));
  t.strictSame(
    answers.flatMap(([path, text]) => (patterns.some((pattern) => text.includes(pattern)) ? [path] : [])),
    [],
  );
  t.ok(answers.length > 100, `${answers.length} answers`);
});
