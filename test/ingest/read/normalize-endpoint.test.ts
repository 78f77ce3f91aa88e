import fc from 'fast-check';
import t from 'tap';
import { normalizeEndpoint } from '../../../lib/event-fields.js';
import { cpuMsOf } from '../../support/cpu-time.js';
import { propertyOf } from '../../support/property.js';

const cases: Record<string, string | undefined> = {
  '/cart/:id': '/cart/:id',
  '/Cart': '/Cart',
  '/cart?page=2': '/cart',
  '/cart#top': '/cart',
  '/cart#a?b': '/cart',
  '/cart/?page=2': '/cart',
  '/cart/': '/cart',
  '/cart///': '/cart',
  '/': '/',
  '//': '/',
  '/?a': '/',
  '  /cart  ': '/cart',
  '/cart /': '/cart',
  '/cart/ ?x': '/cart',
  'GET /cart': 'GET /cart',
  '': undefined,
  '   ': undefined,
  '?page=2': undefined,
  '#top': undefined,
  '/ca\u0000rt': undefined,
  '/ca\nrt': undefined,
  '/ca\u0085rt': undefined,
  '/ca\ud800rt': '/ca\ufffdrt',
  '/😀': '/😀',
};

t.test('strips query, fragment, trailing slashes and surrounding space; keeps case', async (t) => {
  for (const [raw, expected] of Object.entries(cases)) {
    t.equal(normalizeEndpoint(raw), expected, JSON.stringify(raw));
  }
});

t.test('takes 200 characters, counted as code points after stripping, and no more', async (t) => {
  const longest = `/${'x'.repeat(199)}`;
  t.equal(normalizeEndpoint(longest), longest);
  t.equal(normalizeEndpoint(`${longest}y`), undefined);
  t.equal(normalizeEndpoint(`${longest}/?${'q'.repeat(500)}`), longest);
  const emoji = '😀'.repeat(200);
  t.equal(normalizeEndpoint(emoji), emoji);
  t.equal(normalizeEndpoint(`${emoji}😀`), undefined);
});

t.test('is its own fixed point, so a registered name looked up raw is the same name', async () => {
  const pieces = fc.constantFrom(
    '/',
    ' ',
    '?',
    '#',
    'a',
    'É',
    '\t',
    '\ud83d',
    '\ude00',
    '\u00a0',
    ':id',
    '\0',
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
      const once = normalizeEndpoint(parts.join(''));
      return once === undefined || normalizeEndpoint(once) === once;
    }),
    propertyOf(t, { few: 1_250, many: 25_000 }),
  );
});

t.test('a path of a million slashes or spaces is quick', async (t) => {
  const took = cpuMsOf(() => {
    t.equal(normalizeEndpoint('/'.repeat(1_000_000)), '/');
    t.equal(normalizeEndpoint(`/${' /'.repeat(500_000)}`), '/');
    t.equal(normalizeEndpoint(`${'/'.repeat(1_000_000)}a`), undefined);
  });
  t.ok(took < 2_000, `${took} ms`);
});
