import t from 'tap';
import { csvRow } from '../../../api/manage/csv.js';

t.test('cells are separated and quoted as in RFC 4180', async (t) => {
  t.equal(csvRow(['a', null, 'b c']), 'a,,b c\r\n');
  t.equal(csvRow(['a,b', 'say "x"', 'two\nlines']), '"a,b","say ""x""","two\nlines"\r\n');
});

t.test('no cell begins as a formula does', async (t) => {
  for (const start of ['=', '+', '-', '@', '\t', '\r', '\n']) {
    const cell = `${start}1+1`;
    t.match(csvRow([cell]), /^"?'/, JSON.stringify(cell));
  }
  t.equal(csvRow(['=1,"2"']), `"'=1,""2"""\r\n`);
  t.equal(csvRow(['a=1', '1-1', 'a@b']), 'a=1,1-1,a@b\r\n');
});
