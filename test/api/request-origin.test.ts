import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import Koa from 'koa';
import t, { type Test } from 'tap';
import { createOriginParser, type RequestOrigin } from '../../api/request-origin.js';

type Headers = Record<string, string | string[]>;

/** Asks a server that trusts these proxies. The peer is 127.0.0.1, which a server on `::` sees as ::ffff:127.0.0.1. */
async function ask(
  t: Test,
  proxies: readonly string[],
  headers: Headers,
  host = '127.0.0.1',
): Promise<RequestOrigin> {
  const read = createOriginParser(proxies);
  const app = new Koa().use((ctx) => {
    ctx.body = read(ctx);
  });
  const server = createServer(app.callback());
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo;
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, headers, agent: false }, (answer) => {
      let text = '';
      answer.on('data', (chunk) => {
        text += chunk;
      });
      answer.on('end', () => resolve(JSON.parse(text)));
    });
    sent.on('error', reject).end();
  });
}

const forwarded = { host: 'inner:8080', 'x-forwarded-host': 'outer', 'x-forwarded-for': '203.0.113.9' };

t.test('the host is lower case, without port and final dot', async (t) => {
  for (const [host, hostname] of [
    ['Status.Example.COM', 'status.example.com'],
    ['status.example.com.:8443', 'status.example.com'],
    ['localhost:80', 'localhost'],
    ['[::1]:8080', '[::1]'],
  ] as const) {
    t.same(await ask(t, [], { host }), { hostname, clientAddress: '127.0.0.1' }, host);
  }
});

t.test('forwarded headers of untrusted peers are ignored', async (t) => {
  const seen = { hostname: 'inner', clientAddress: '127.0.0.1' };
  t.same(await ask(t, [], forwarded), seen);
  t.same(await ask(t, ['127.0.0.2', '10.0.0.0/8', '::1'], forwarded), seen);
});

t.test('forwarded headers of a trusted proxy count, however its address is written', async (t) => {
  const seen = { hostname: 'outer', clientAddress: '203.0.113.9' };
  for (const proxy of ['127.0.0.1', '127.0.0.0/8', '::ffff:127.0.0.1', '::ffff:127.0.0.0/104']) {
    t.same(await ask(t, [proxy], forwarded), seen, proxy);
  }
  t.same(await ask(t, ['127.0.0.1'], forwarded, '::'), seen, 'an IPv4 peer of an IPv6 socket');
});

t.test('the client is the right-most address that is not a proxy', async (t) => {
  const proxies = ['127.0.0.1', '10.0.0.0/8', '2001:db8:1::/48'];
  for (const [list, clientAddress] of [
    ['198.51.100.1, 203.0.113.9, 10.1.2.3', '203.0.113.9'],
    ['198.51.100.1, 203.0.113.9:4711, ::ffff:10.1.2.3', '203.0.113.9'],
    ['[2001:db8:2::7]:4711, 2001:db8:1::1', '2001:db8:2::7'],
    ['::ffff:198.51.100.1', '198.51.100.1'],
    ['10.9.9.9, 10.1.2.3', '10.9.9.9'],
    ['nonsense', '127.0.0.1'],
    ['198.51.100.1, unknown, 10.1.2.3', '127.0.0.1'],
    ['', '127.0.0.1'],
  ] as const) {
    t.equal((await ask(t, proxies, { 'x-forwarded-for': list })).clientAddress, clientAddress, list);
  }
  const twice = { 'x-forwarded-for': ['198.51.100.1', '203.0.113.9'] };
  t.equal((await ask(t, proxies, twice)).clientAddress, '203.0.113.9', 'sent as two headers');
});

t.test('the last of several forwarded hosts counts, which the nearest proxy wrote', async (t) => {
  const headers = { host: 'inner', 'x-forwarded-host': 'made-up.example, Outer.Example:443' };
  t.equal((await ask(t, ['127.0.0.1'], headers)).hostname, 'outer.example');
});
