import t from 'tap';
import { splitStatements } from '../../sql/migration-files.js';

t.test('a statement ends with a line that ends in a semicolon', async (t) => {
  const text =
    "-- About a; and b;\nCREATE TABLE a\n(\n  x UInt8 COMMENT 'one; two'\n);\n\nSELECT 1; \n-- the end\n";
  t.same(splitStatements(text), ["CREATE TABLE a\n(\n  x UInt8 COMMENT 'one; two'\n)", 'SELECT 1']);
});

t.test('a last statement without a semicolon counts, a file of comments has none', async (t) => {
  t.same(splitStatements('SELECT 1;\nSELECT 2'), ['SELECT 1', 'SELECT 2']);
  t.same(splitStatements('-- nothing;\n\n'), []);
});
