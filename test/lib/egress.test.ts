import type { LookupFunction } from 'node:net';
import t from 'tap';
import { createEgress, type Egress, type EgressRequest } from '../../lib/outbound/egress.js';
import { EgressError, type EgressErrorKind } from '../../lib/outbound/egress-error.js';
import { startReceiver } from '../support/receiver.js';
import { waitUntil } from '../support/wait-until.js';

const open = createEgress({ allowPrivateAddresses: true });
const strict = createEgress({ allowPrivateAddresses: false });

function post(egress: Egress, url: string, options: Partial<EgressRequest> = {}) {
  const { signal } = new AbortController();
  return egress.send({ method: 'POST', url, headers: {}, body: '{}', timeoutMs: 5_000, signal, ...options });
}

async function kindOf(failing: Promise<unknown>): Promise<EgressErrorKind | undefined> {
  try {
    await failing;
  } catch (error) {
    if (error instanceof EgressError) return error.kind;
    throw error;
  }
  return undefined;
}

/** Resolves every name to these addresses, and counts the look-ups. */
function lookupTo(...addresses: string[]): { lookup: LookupFunction; asked(): number } {
  let asked = 0;
  const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  return {
    asked: () => asked,
    lookup(_hostname, options, done) {
      asked += 1;
      if (options.all) done(null, found);
      else done(null, found[0]?.address ?? '', found[0]?.family);
    },
  };
}

t.test('a request arrives unchanged, and returns the status and the start of the answer', async (t) => {
  const receiver = await startReceiver(t);
  receiver.answer = () => ({ status: 500, body: 'é'.repeat(100_000) });
  const body = JSON.stringify({ text: 'ü'.repeat(1_000) });
  const answer = await post(open, `${receiver.url}/hook?a=b`, { body, headers: { 'x-a': 'b' } });
  t.equal(answer.status, 500);
  const text = answer.body.bytes.toString('utf8');
  t.match(text, /^é{1024}/);
  t.ok(text.length < 10_000);
  t.ok(answer.body.isCut);
  t.match(receiver.received, [{ path: '/hook?a=b', body, headers: { 'x-a': 'b' } }]);
});

t.test('addresses that are not public are refused in every notation', async (t) => {
  const receiver = await startReceiver(t);
  const { port } = new URL(receiver.url);
  const hosts = ['127.0.0.1', '127.1', '2130706433', '0x7f000001', '0177.0.0.1', 'localhost', 'a.localhost'];
  hosts.push('LOCALHOST.', '0.0.0.0', '[::]', '[::1]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]');
  hosts.push('10.1.2.3', '172.16.0.1', '192.168.1.1', '100.64.0.1', '100.100.100.200', '169.254.169.254');
  hosts.push('192.0.0.192', '198.18.0.1', '224.0.0.1', '255.255.255.255', '168.63.129.16', '[fd00:ec2::254]');
  hosts.push('[fe80::1]', '[fec0::1]', '[ff02::1]', '[64:ff9b::7f00:1]', '[2002:7f00:1::]', '[2001::1]');
  const metadata = ['100.100.100.200', '169.254.169.254', '192.0.0.192', '168.63.129.16', '[fd00:ec2::254]'];
  for (const host of hosts) {
    const kind = metadata.includes(host) ? 'metadata' : 'address';
    t.equal(await kindOf(post(strict, `http://${host}:${port}/`)), kind, host);
  }
  t.equal(await kindOf(post(strict, 'https://127.0.0.1/')), 'address');
  t.strictSame(receiver.received, []);
  t.equal((await post(open, `http://localhost:${port}/`)).status, 204, 'unless they are allowed');
});

t.test('names with such addresses are refused when the request connects', async (t) => {
  const receiver = await startReceiver(t);
  const { port } = new URL(receiver.url);
  for (const address of ['127.0.0.1', '::1', '::ffff:127.0.0.1', '10.0.0.1', '169.254.169.254']) {
    const { lookup, asked } = lookupTo(address);
    const egress = createEgress({ allowPrivateAddresses: false, lookup });
    const kind = address === '169.254.169.254' ? 'metadata' : 'address';
    t.equal(await kindOf(post(egress, `http://hooks.example:${port}/`)), kind, address);
    t.equal(asked(), 1, 'the checked answer is the one to connect to');
  }
  const { lookup } = lookupTo('93.184.215.14', '127.0.0.1');
  const egress = createEgress({ allowPrivateAddresses: false, lookup });
  t.equal(
    await kindOf(post(egress, `http://hooks.example:${port}/`)),
    'address',
    'one private address of several',
  );
  t.strictSame(receiver.received, []);
});

t.test('redirects are not followed', async (t) => {
  const receiver = await startReceiver(t);
  receiver.answer = () => ({ status: 307, headers: { location: `${receiver.url}/elsewhere` } });
  t.equal((await post(open, `${receiver.url}/hook`)).status, 307);
  t.equal(receiver.received.length, 1);
});

t.test('one time limit covers the whole request', async (t) => {
  const receiver = await startReceiver(t);
  receiver.answer = () => 'hang';
  t.equal(await kindOf(post(open, receiver.url, { timeoutMs: 50 })), 'timeout');
  const silent: LookupFunction = () => {};
  const egress = createEgress({ allowPrivateAddresses: true, lookup: silent });
  t.equal(await kindOf(post(egress, 'http://hooks.example/', { timeoutMs: 50 })), 'timeout', 'including DNS');
});

t.test('the signal ends a request with its reason', async (t) => {
  const receiver = await startReceiver(t);
  receiver.answer = () => 'hang';
  const ending = new AbortController();
  const sent = post(open, receiver.url, { signal: ending.signal });
  await waitUntil('the request has arrived', () => receiver.received.length === 1);
  ending.abort(new Error('Enough.'));
  await t.rejects(sent, { message: 'Enough.' });
  await t.rejects(post(open, receiver.url, { signal: ending.signal }), { message: 'Enough.' });
  t.equal(receiver.received.length, 1, 'a request with an aborted signal is not sent');
});

t.test('errors have a kind and a sentence without addresses', async (t) => {
  const tls = await startReceiver(t, { tls: true });
  const plain = await startReceiver(t);
  plain.answer = () => 'cut';
  const { lookup } = lookupTo('127.0.0.1');
  const local = createEgress({ allowPrivateAddresses: true, lookup });
  const cases: [() => Promise<unknown>, EgressErrorKind, RegExp][] = [
    [() => post(open, tls.url), 'tls', /DEPTH_ZERO_SELF_SIGNED_CERT/],
    [() => post(open, plain.url.replace('http:', 'https:')), 'tls', /SSL|EPROTO/],
    [() => post(open, tls.url.replace('https:', 'http:')), 'connection', /ECONNRESET/],
    [() => post(open, plain.url), 'connection', /ECONNRESET/],
    [() => post(local, 'http://hooks.example:1/'), 'connection', /ECONNREFUSED/],
    [() => post(strict, 'http://10.0.0.1/'), 'address', /not public/],
    [() => post(open, 'ftp://hooks.example/'), 'url', /http:\/\/ or https:\/\//],
    [() => post(open, 'http://user:secret@hooks.example/'), 'url', /user name or password/],
  ];
  for (const [failing, kind, sentence] of cases) {
    const error = await failing().catch((error: unknown) => error);
    t.match(error, { kind, message: sentence });
    t.notMatch(error, { message: /\d+\.\d+\.\d+\.\d+|secret/ });
  }
  t.strictSame(tls.received, [], 'nothing is sent over an untrusted connection');
});
