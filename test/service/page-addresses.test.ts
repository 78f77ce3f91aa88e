import t from 'tap';
import { loadPageAddresses, type PageAddresses, pageLines, welcome } from '../../service/demo-page.js';
import { makePage } from '../support/pages.js';
import { openTestPostgres } from '../support/stores.js';

t.test('a start prints the first ten pages, and how many more there are', async (t) => {
  const { sql, databaseUrl } = await openTestPostgres(t);
  const url = 'https://status.example.com:8443';
  const printed = (pages: PageAddresses) =>
    welcome(url, { pages, demo: undefined, acknowledgedFrom: 'the log', prefix: 'npx heartline' });
  const none = await loadPageAddresses(databaseUrl, url);
  t.same(none, { addresses: [], more: 0 });
  t.match(printed(none), /^ {2}pages {8}none yet; make one: npx heartline page create --help$/m);
  for (let i = 10; i < 22; i += 1) await makePage(sql, { slug: `p${i}` });
  const pages = await loadPageAddresses(databaseUrl, url);
  t.equal(pages.addresses.length, 10);
  t.equal(pages.addresses[0], 'https://p10.localhost:8443/');
  t.equal(pages.more, 2);
  t.same(pageLines(pages, 'npx heartline').at(-1), 'and 2 more: npx heartline page list');
  t.match(
    printed(pages),
    /^ {2}pages {8}https:\/\/p10\.localhost:8443\/\n {15}https:\/\/p11\.localhost:8443\/$/m,
  );
});
