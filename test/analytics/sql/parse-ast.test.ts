import t from 'tap';
import { parseAst } from '../../../analytics/sql/parse-ast.js';

t.test('builds the tree that the lines describe', (t) => {
  const tree = parseAst([
    'ExpressionList (children 2)',
    ' Function upper (alias a) (children 1)',
    "  Literal 'x'",
    ' Asterisk',
  ]);
  t.same(tree, {
    kind: 'ExpressionList',
    text: '',
    children: [
      {
        kind: 'Function',
        text: 'upper (alias a)',
        children: [{ kind: 'Literal', text: "'x'", children: [] }],
      },
      { kind: 'Asterisk', text: '', children: [] },
    ],
  });
  t.end();
});

for (const [what, lines] of Object.entries({
  'a child too few': ['ExpressionList (children 2)', ' Asterisk'],
  'a child too many': ['ExpressionList (children 1)', ' Asterisk', ' Asterisk'],
  'a child of a leaf': ['ExpressionList (children 1)', ' Asterisk', '  Asterisk'],
  'a second root': ['Asterisk', 'Asterisk'],
  'a level left out': ['ExpressionList (children 1)', '  Asterisk'],
  'a line that is no node': ['ExpressionList (children 1)', ' 1 + 1'],
  'an empty line': ['ExpressionList (children 1)', ''],
  'no line': [],
})) {
  t.equal(parseAst(lines), undefined, what);
}
