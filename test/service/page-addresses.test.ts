import t from 'tap';
import { acknowledgedFrom } from '../../service/addresses.js';
import { parseConfig } from '../../service/config.js';
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

t.test('a start prints from where events are acknowledged', async (t) => {
  const printed = (env: Record<string, string>) => {
    const from = acknowledgedFrom(parseConfig(env));
    const pages = { addresses: [], more: 0 };
    return welcome('http://[::1]:1', { pages, demo: undefined, acknowledgedFrom: from, prefix: 'heartline' });
  };
  t.match(printed({}), /^ {2}events {7}acknowledged from the log in data\/log$/m);
  t.match(printed({ HEARTLINE_DATA_DIR: '/srv/h/' }), /acknowledged from the log in \/srv\/h\/log$/m);
  t.match(printed({ HEARTLINE_ACK: 'store' }), /^ {2}events {7}acknowledged from the event store$/m);
});
