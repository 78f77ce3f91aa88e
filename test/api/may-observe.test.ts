import type { IncomingMessage } from 'node:http';
import t from 'tap';
import { createObserverCheck, createOriginParser } from '../../api/request-origin.js';
import { privateNetworks } from '../../lib/networks.js';

/** Whether a request from a peer with these headers is one of an operator. */
function observes(
  peer: string,
  headers: Record<string, string> = {},
  { trusted = [] as string[], networks = privateNetworks } = {},
): boolean {
  const req = { headers, socket: { remoteAddress: peer } };
  // The check reads no more of a request.
  return createObserverCheck(
    createOriginParser(trusted),
    networks,
  )({ req: req as unknown as IncomingMessage });
}

t.test('loopback and private networks observe by default, and no other address', async (t) => {
  const inside = [
    ...['127.0.0.1', '127.8.8.8', '10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.2', '169.254.1.1'],
    ...['::1', '::ffff:10.0.0.1', 'fd00::1', 'fe80::1'],
  ];
  const outside = [
    ...['203.0.113.9', '9.255.255.255', '11.0.0.1', '172.15.0.1', '172.32.0.1', '192.167.1.1', '0.0.0.0'],
    ...['2001:db8::1', '::ffff:203.0.113.9', '::', ''],
  ];
  t.strictSame(
    inside.filter((peer) => !observes(peer)),
    [],
  );
  t.strictSame(
    outside.filter((peer) => observes(peer)),
    [],
  );
});

t.test('what a proxy passes on counts as what the proxy says of its client', async (t) => {
  const trusted = ['127.0.0.1'];
  const named = (list: string) => ({ 'x-forwarded-for': list });
  const cases: [what: string, isObserver: boolean, answer: boolean][] = [
    ['an own proxy that is not trusted', false, observes('127.0.0.1', named('10.0.0.7'))],
    ['one that says only that it is one', false, observes('127.0.0.1', { via: '1.1 cache' })],
    ['one that names the client otherwise', false, observes('10.0.0.1', { 'x-real-ip': '10.0.0.7' })],
    ['a public client', false, observes('127.0.0.1', named('203.0.113.9'), { trusted })],
    [
      'one that says it is private',
      false,
      observes('127.0.0.1', named('10.0.0.7, 203.0.113.9'), { trusted }),
    ],
    [
      'a client of a balancer that is not trusted',
      false,
      observes('127.0.0.1', named('203.0.113.9, 10.0.0.9'), { trusted }),
    ],
    [
      'one that names the balancer as well',
      false,
      observes('127.0.0.1', named('10.0.0.9, 203.0.113.9, 10.0.0.9'), { trusted }),
    ],
    [
      'a private client of a trusted balancer',
      true,
      observes('127.0.0.1', named('10.0.0.7, 10.0.0.9'), { trusted: [...trusted, '10.0.0.9'] }),
    ],
    ['a private client', true, observes('127.0.0.1', named('10.0.0.7'), { trusted })],
    ['with a port', true, observes('127.0.0.1', named('[fd00::7]:4711'), { trusted })],
    ['a client without a name', false, observes('127.0.0.1', { 'x-forwarded-proto': 'https' }, { trusted })],
    ['a client whose name is no address', false, observes('127.0.0.1', named('unknown'), { trusted })],
    ['the machine of the trusted proxy itself', true, observes('127.0.0.1', {}, { trusted })],
    [
      'a trusted proxy with a public address',
      true,
      observes('203.0.113.1', named('10.0.0.7'), { trusted: ['203.0.113.1'] }),
    ],
  ];
  t.strictSame(
    cases.filter(([, isObserver, answer]) => isObserver !== answer),
    [],
  );
});

t.test('networks of the operator take the place of the private ones', async (t) => {
  const networks = ['198.51.100.0/24'];
  t.equal(observes('198.51.100.7', {}, { networks }), true);
  t.equal(observes('127.0.0.1', {}, { networks }), false);
  t.equal(observes('203.0.113.9', {}, { networks: ['0.0.0.0/0', '::/0'] }), true);
  t.equal(observes('2001:db8::1', {}, { networks: ['0.0.0.0/0', '::/0'] }), true);
});
