import t from 'tap';
import Type from 'typebox';
import { Compile } from 'typebox/compile';
import { describeErrors, parseJson } from '../../lib/parse-body.js';
import { likeServiceError } from '../support/like-service-error.js';

const Nullable = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const check = Compile(
  Type.Object({
    title: Type.String({ minLength: 1, maxLength: 3 }),
    kind: Type.Optional(Type.Enum(['x', 'y'])),
    one: Type.Optional(Type.Literal(1)),
    count: Type.Optional(Type.Integer({ minimum: 1, maximum: 5 })),
    end: Type.Optional(Nullable(Type.String())),
    flag: Type.Optional(Type.Boolean()),
    'a/b~c': Type.Optional(Type.Array(Type.Object({ q: Type.Boolean(), r: Type.Number() }), { maxItems: 1 })),
    names: Type.Optional(Type.Array(Type.String(), { uniqueItems: true, minItems: 1 })),
    word: Type.Optional(Type.String({ pattern: '^[a-z]+$' })),
  }),
);

t.test('an error names the place, what is allowed and what was sent', async (t) => {
  const good = { title: 'a' };
  const cases: [value: unknown, sentence: string][] = [
    [7, 'The body must be an object; it was the number 7.'],
    [null, 'The body must be an object; it was null.'],
    [[], 'The body must be an object; it was an array.'],
    [{}, '/title is missing; send it.'],
    [{ title: 7 }, '/title must be a text; it was the number 7.'],
    [{ title: '' }, '/title must have at least 1 character; it was the text "".'],
    [{ title: 'abcd' }, '/title must have at most 3 characters; it has 4.'],
    [{ ...good, kind: 'z' }, '/kind must be one of "x", "y"; it was the text "z".'],
    [{ ...good, one: 2 }, '/one must be 1; it was the number 2.'],
    [{ ...good, count: 9 }, '/count must be at most 5; it was the number 9.'],
    [{ ...good, count: 0 }, '/count must be at least 1; it was the number 0.'],
    [{ ...good, count: 1.5 }, '/count must be a whole number; it was the number 1.5.'],
    [{ ...good, end: 7 }, '/end must be a text or null; it was the number 7.'],
    [{ ...good, flag: 'no' }, '/flag must be true or false; it was the text "no".'],
    [{ ...good, 'a/b~c': [{}] }, '/a~1b~0c/0/q and /a~1b~0c/0/r are missing; send them.'],
    [{ ...good, 'a/b~c': [{ q: 1, r: 1 }] }, '/a~1b~0c/0/q must be true or false; it was the number 1.'],
    [
      { ...good, 'a/b~c': [0, 1].map((r) => ({ q: true, r })) },
      '/a~1b~0c must have at most 1 item; it has 2.',
    ],
    [{ ...good, names: [] }, '/names must have at least 1 item; it has 0.'],
    [{ ...good, names: ['a', 'a'] }, '/names must have no item twice; it was an array.'],
    [{ ...good, word: 'A1' }, '/word must match ^[a-z]+$; it was the text "A1".'],
  ];
  for (const [value, sentence] of cases) t.equal(describeErrors(check, value), sentence);
  t.equal(describeErrors(check, {}, '/reporter'), '/reporter/title is missing; send it.');
  t.equal(describeErrors(check, 7, '/reporter'), '/reporter must be an object; it was the number 7.');
});

t.test('all errors of a body are named, unknown fields with the name that is near', async (t) => {
  const closed = <P extends Type.TProperties>(fields: P) =>
    Type.Object(fields, { additionalProperties: false });
  const inner = closed({ url: Type.String(), port: Type.Optional(Nullable(Type.Integer())) });
  const body = Compile(
    closed({
      name: Type.String(),
      slug: Type.Optional(Type.String()),
      target: Type.Optional(Nullable(inner)),
      targets: Type.Optional(Type.Record(Type.String(), inner)),
      counts: Type.Optional(Type.Array(Nullable(Type.Integer()))),
    }),
  );
  const nearName = 'There is no field /nmae here. Did you mean /name?';
  const cases: [value: unknown, sentence: string][] = [
    [{ nmae: 'x' }, `/name is missing; send it. ${nearName}`],
    [{ name: 'x', nmae: 'x' }, 'There is no field /nmae here.'],
    [{ name: 'x', colour: 1 }, 'There is no field /colour here.'],
    [
      { name: 7, slgu: 'x' },
      'There is no field /slgu here. Did you mean /slug? /name must be a text; it was the number 7.',
    ],
    [
      { name: 'x', target: { urls: 'x', port: 'y' } },
      '/target/url is missing; send it. There is no field /target/urls here. Did you mean /target/url? /target/port must be a whole number or null; it was the text "y".',
    ],
    [
      { name: 'x', targets: { 'a/b': { url: 'x', prot: 1 } } },
      'There is no field /targets/a~1b/prot here. Did you mean /targets/a~1b/port?',
    ],
    [
      { name: 'x', counts: Array.from({ length: 9 }, () => 'y') },
      `${[0, 1, 2, 3, 4].map((at) => `/counts/${at} must be a whole number or null; it was the text "y".`).join(' ')} There are more errors; correct these first.`,
    ],
  ];
  const wrong = cases.flatMap(([value, sentence]) => {
    const said = describeErrors(body, value);
    return said === sentence ? [] : [{ said, sentence }];
  });
  t.same(wrong, []);
  // An object that takes any field has no unknown one, but a required one may be there under another name.
  t.equal(
    describeErrors(check, { tilte: 'a', other: 1 }, '/reporter'),
    '/reporter/title is missing; send it. There is no field /reporter/tilte here. Did you mean /reporter/title?',
  );
});

t.test('no secret is repeated, and little of anything else', async (t) => {
  for (const kind of ['password=hunter2', 'mongodb://me:hunter2@db', `key_live_${'Ab1'.repeat(15)}`]) {
    const sentence = describeErrors(check, { title: 'a', kind });
    t.match(sentence, 'it was a text that is not repeated because it looks like a secret.');
    t.notMatch(sentence, /hunter2|Ab1/);
  }
  const long = describeErrors(check, { title: 'a', kind: 'x y '.repeat(10_000) });
  t.ok(long.length < 120, long);
  t.match(long, /…"\.$/);
  t.match(describeErrors(check, { title: 'a', kind: '\u001b[2J\u202e\n' }), '"\\u001b[2J\ufffd\\n"');
});

t.test('text that is not JSON says where it breaks, without repeating it', async (t) => {
  const refuse = (text: string) => {
    try {
      parseJson(Buffer.from(text));
    } catch (error) {
      t.match(error, likeServiceError('bodyNotJson'));
      return String((error as { hint?: string }).hint);
    }
    return t.fail('it was accepted');
  };
  t.equal(refuse(''), 'The body is empty; send a JSON value.');
  t.match(refuse('[{endpoint: "hunter2"}]'), /^It breaks at character 3\. Send one JSON value/);
  t.notMatch(refuse('{"a": hunter2}'), /hunter2/);
});

t.test('a body that takes long to parse for its size is refused', async (t) => {
  const nested = `{"events":[{"x":${'['.repeat(200)}${']'.repeat(200)}}]}`;
  t.throws(
    () => parseJson(Buffer.from(nested)),
    likeServiceError('bodyNotJson', { message: /nests deeper than 100 levels/ }),
  );
  const many = `[${'{},'.repeat(200_000)}{}]`;
  t.throws(
    () => parseJson(Buffer.from(many)),
    likeServiceError('bodyTooLarge', { message: /more than 200000 brackets/ }),
  );
});

t.test('a body in another form is answered with how to send it', async (t) => {
  const gzip = Buffer.from('1f8b0800', 'hex');
  for (const [bytes, hint] of [
    [gzip, /compressed with gzip; add the header "Content-Encoding: gzip"/],
    [Buffer.from('28b52ffd00', 'hex'), /compressed with zstd; use gzip/],
    [Buffer.from('\ufeff[]', 'utf16le'), /UTF-16; send the text as UTF-8/],
    [Buffer.from('ff00', 'hex'), /Send the text as UTF-8/],
    [Buffer.from(''), /The body is empty/],
    [Buffer.from('<a/>'), /looks like XML/],
    [Buffer.from('a=b&c=d'), /looks like a form/],
    [Buffer.from('--x\r\nContent-Disposition: form-data; name="a"\r\n\r\nb\r\n--x--'), /a form with parts/],
    [Buffer.from('{"a": 1}\n{"a": 2}\n'), /a JSON value on each line; put them between/],
    [Buffer.from('{"a": 1}}'), /^It breaks at character 9\. Send one JSON value/],
    [Buffer.from("{'a': 1}\n{}"), /^It breaks at character 2\. Send one JSON value/],
  ] as const) {
    t.throws(() => parseJson(bytes), likeServiceError('bodyNotJson', { hint }), hint.source);
  }
});
