import t from 'tap';
import { makeTexts, type Source, type Value } from '../../../web/texts/make-texts.js';

type Write = (values: Record<string, Value>) => string;

const source: Source = {
  title: 'No placeholder, and {no name} either',
  group: { greeting: 'Hello {name}, {name}!' },
  count: { $plural: 'count', one: '{count} event', other: '{shown} events' },
  none: { $plural: 'count', '=0': 'nothing', other: { $select: 'kind', mail: 'mails', other: '{kind}' } },
};

type Made = { title: string; group: { greeting: Write }; count: Write; none: Write };

t.test('a text stays a text, and a message takes its values by name', async (t) => {
  const { title, group } = makeTexts<Made>(source, 'en');
  t.equal(title, 'No placeholder, and {no name} either');
  t.equal(group.greeting({ name: '$& {other}' }), 'Hello $& {other}, $& {other}!', 'a value is no template');
});

t.test('a number chooses by the rules of the language, unless a form has the number itself', async (t) => {
  const inFrench = makeTexts<Made>(source, 'fr');
  const inEnglish = makeTexts<Made>(source, 'en');
  const counts = [0, 1, 2, 1_000];
  t.strictSame(
    counts.map((count) => inEnglish.count({ count, shown: `${count}!` })),
    ['0! events', '1 event', '2! events', '1000! events'],
  );
  t.equal(inFrench.count({ count: 0, shown: '0' }), '0 event');
  t.equal(inEnglish.none({ count: 0, kind: 'mail' }), 'nothing');
});

t.test('a value chooses its form, else the one for all others', async (t) => {
  const { none } = makeTexts<Made>(source, 'en');
  t.equal(none({ count: 2, kind: 'mail' }), 'mails');
  t.equal(none({ count: 2, kind: 'constructor' }), 'constructor');
});
