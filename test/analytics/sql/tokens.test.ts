import fc from 'fast-check';
import t from 'tap';
import { type Token, tokensOf } from '../../../analytics/sql/tokens.js';
import { propertyOf } from '../../support/property.js';

const textsOf = (sql: string): string[] => tokensOf(sql).map(({ text }) => text);

t.test('splits a statement as ClickHouse does', (t) => {
  const forms: [sql: string, texts: string[]][] = [
    ['SELECT a.b, 1', ['SELECT', 'a', '.', 'b', ',', '1']],
    ['a -- b ; c\nd', ['a', 'd']],
    ['a // b\nd # e\n#! f', ['a', 'd']],
    ['a /* b /* c */ ; */ d', ['a', 'd']],
    ['a /* b /* c */ d', ['a', '/* b /* c */ d']],
    ["'it''s; -- \\' one' x", ["'it''s; -- \\' one'", 'x']],
    ['`a b` "c;d"', ['a b', 'c;d']],
    ["'not closed ; ", ["'not closed ; "]],
    ["'\\", ["'\\"]],
    ['$tag$ ; /* $tag$ x', ['$tag$ ; /* $tag$', 'x']],
    ['$a$, x', ['$', 'a$', ',', 'x']],
    ['$a$a$, x', ['$', 'a$a$', ',', 'x']],
    ['$$ $ $$, x', ['$$ $ $$', ',', 'x']],
    ['‘it; -- ’ x “c;d”', ['‘it; -- ’', 'x', 'c;d']],
    ['größe🙂x', ['größe', '🙂', 'x']],
    ['', []],
  ];
  for (const [sql, texts] of forms) t.same(textsOf(sql), texts, sql);
  t.end();
});

t.test('every character is in one token, or in white space or a comment', (t) => {
  const part = fc.constantFrom(
    ...["'", '"', '`', '\\', '/*', '*/', '--', '\n', ';', '(', ' ', 'a', '1', '$$', '$a$', '🙂', '#', '//'],
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 40 }), (parts) => {
      const sql = parts.join('');
      let end = 0;
      for (const token of tokensOf(sql)) {
        if (token.start < end || token.end <= token.start) throw new Error('out of order');
        assertNothing(sql.slice(end, token.start));
        assertText(sql, token);
        end = token.end;
      }
      assertNothing(sql.slice(end));
    }),
    propertyOf(t, { few: 500, many: 10_000 }),
  );
  t.end();
});

function assertNothing(gap: string): void {
  if (gap !== '' && !/^\s*$|--|\/\/|#|\/\*/.test(gap)) throw new Error(`left out: ${gap}`);
}

function assertText(sql: string, { kind, text, start, end }: Token): void {
  const written = sql.slice(start, end);
  if (kind === 'quotedName' ? !written.includes(text) : written !== text) throw new Error(`differs: ${text}`);
}

t.test('takes time in proportion to a hostile text', (t) => {
  const hostile = ['/*', '$a', "'\\", '"', '`\\', '((', ';', "''", '#', '$a$', '$$'];
  const texts = hostile.map((part) => [part, part.repeat(65_536 / part.length)] as const);
  const tags = Array.from({ length: 10_000 }, (_, at) => `$${at}$ `).join('');
  for (const [part, sql] of [...texts, ['tags without an end', tags] as const]) {
    const startedAt = process.cpuUsage();
    tokensOf(sql);
    const { user } = process.cpuUsage(startedAt);
    t.ok(user < 2_000_000, `${part}: ${user} µs`);
  }
  t.end();
});
