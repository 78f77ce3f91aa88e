import t from 'tap';
import { readFile, readRows } from '../../../web/dashboard/screens/subscribers/import/read-file.js';

const fileOf = (content: BlobPart) => new File([content], 'people.csv');

t.test('columns are found by their names, in any case and in German', async (t) => {
  t.same(
    readRows('Name;E-Mail;Sprache;Zugestimmt\nAnn;ann@example.com;de;1\nBen;ben@example.com;;vielleicht'),
    {
      saysConsent: true,
      rows: [
        { line: 2, email: 'ann@example.com', language: 'de', confirmed: true },
        { line: 3, email: 'ben@example.com', language: '', confirmed: undefined },
      ],
    },
  );
});

t.test('a list without a header, and a column that only its addresses name', async (t) => {
  t.match(readRows('ann@example.com\nben@example.com\n'), { rows: [{ line: 1 }, { line: 2 }] });
  t.match(readRows('Who,Where to\nAnn,ann@example.com\n'), {
    saysConsent: false,
    rows: [{ line: 2, email: 'ann@example.com', confirmed: undefined }],
  });
});

t.test('files that cannot be taken', async (t) => {
  t.equal(readRows(''), 'noAddresses');
  t.equal(readRows('name,number\nAnn,1\n'), 'noAddresses');
  t.equal(readRows(`email\n${'a@example.com\n'.repeat(10_001)}`), 'tooMany');
  t.equal(await readFile(fileOf('x'.repeat(2 * 1024 * 1024 + 1))), 'tooLarge');
});

t.test('a file of a spreadsheet that is not UTF-8', async (t) => {
  const bytes = Buffer.from('name;email;best\xe4tigt\nJ\xfcrgen;j@example.com;1\n', 'latin1');
  t.match(await readFile(fileOf(bytes)), { saysConsent: true, rows: [{ confirmed: true }] });
});

t.test('a cell of several lines is sent as one', async (t) => {
  t.match(readRows('email\n"a\nb@example.com"\nc@example.com\n'), {
    rows: [{ line: 2, email: 'a b@example.com' }, { line: 4 }],
  });
});
