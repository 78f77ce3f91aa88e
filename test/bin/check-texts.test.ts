import t from 'tap';

/** The build is not compiled with the tests. */
type Check = { compareTexts(language: string, texts: unknown, english: unknown): string[] };
const { compareTexts }: Check = await import(
  new URL('../../../bin/build/check-texts.js', import.meta.url).href
);

const english = {
  title: 'Events',
  list: { empty: 'None', since: 'since {time}' },
  count: { $plural: 'count', one: '1 event', other: '{shown} events' },
  sent: { $select: 'kind', mail: 'mailed', chat: 'posted' },
};

t.test('a file of the same form is right, with the forms that its language has', async (t) => {
  const japanese = {
    title: 'イベント',
    list: { empty: 'なし', since: '{time} から' },
    count: '{shown} 件',
    sent: { $select: 'kind', mail: 'メール', chat: '投稿' },
  };
  t.strictSame(compareTexts('en', english, english), []);
  t.strictSame(compareTexts('ja', japanese, english), []);
  const french = {
    ...english,
    list: { ...english.list, since: { $plural: 'time', one: '{time}', other: '{time}s' } },
  };
  t.strictSame(compareTexts('fr', french, english), [], 'decides by a number that English only shows');
});

t.test('a difference is named with its key', async (t) => {
  const { title, ...untitled } = english;
  const { list, count, sent } = english;
  for (const [texts, expected] of [
    [untitled, '"title" is missing'],
    [{ ...english, titel: 'x' }, '"titel" is not in English'],
    [
      { ...english, list: { ...list, since: 'seit {zeit}' } },
      '"list.since" shows {zeit}, and {time} in English',
    ],
    [
      { ...english, list: { ...list, since: 'seit' } },
      '"list.since" shows no placeholder, and {time} in English',
    ],
    [{ ...english, title: list }, '"title" is a group, and a text in English'],
    [{ ...english, list: 'Liste' }, '"list" is a text, and a group in English'],
    [{ ...english, title: 7 }, '"title" is neither a text nor an object'],
    [{ ...english, title: ['Events'] }, '"title" is neither a text nor an object'],
    [{ ...english, title: 'Events ' }, '"title" begins or ends with a space'],
    [{ ...english, title: '' }, '"title" is empty'],
    [{ ...english, count: { ...count, few: 'x' } }, '"count" has the form "few", which de does not have'],
    [{ ...english, count: { $plural: 'count', one: '{shown}' } }, '"count" lacks the form "other"'],
    [
      { ...english, count: { ...count, $plural: 'n' } },
      '"count" decides by {n}, which English does not have',
    ],
    [
      { ...english, sent: { ...sent, sms: 'x' } },
      `"sent" chooses among 'chat' | 'mail' | 'sms', and 'chat' | 'mail' in English`,
    ],
    [
      { ...english, count: { ...count, $select: 'kind' } },
      '"count" names one placeholder that decides, as "$plural" or as "$select"',
    ],
    [{ ...english, count: { ...count, one: { a: 'x' } } }, '"count.one" is a group in a choice'],
    [new Error('Unexpected end of JSON input'), 'Unexpected end of JSON input'],
  ] as const) {
    t.strictSame(compareTexts('de', texts, english), [expected]);
  }
});
