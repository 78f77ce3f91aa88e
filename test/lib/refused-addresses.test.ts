import type { LookupFunction } from 'node:net';
import t from 'tap';
import { findRefusal } from '../../lib/outbound/connect.js';
import { createEgress } from '../../lib/outbound/egress.js';
import { EgressError } from '../../lib/outbound/egress-error.js';
import { createOutbound } from '../../lib/outbound/request.js';

/**
 * First and last addresses of the blocks that the registries of IANA for special purposes list (IPv4, IPv6), of the
 * multicast blocks, of what is not given out, and the metadata service of Azure.
 */
const refused = [
  ...['0.0.0.0', '0.255.255.255', '10.0.0.0', '10.255.255.255', '100.64.0.0', '100.127.255.255'],
  ...['127.0.0.0', '127.255.255.255', '169.254.0.0', '169.254.255.255', '172.16.0.0', '172.31.255.255'],
  ...['192.0.0.0', '192.0.0.255', '192.0.2.0', '192.0.2.255', '192.31.196.0', '192.31.196.255'],
  ...['192.52.193.0', '192.52.193.255', '192.88.99.0', '192.88.99.255', '192.168.0.0', '192.168.255.255'],
  ...['192.175.48.0', '192.175.48.255', '198.18.0.0', '198.19.255.255', '198.51.100.0', '198.51.100.255'],
  ...['203.0.113.0', '203.0.113.255', '224.0.0.0', '239.255.255.255', '240.0.0.0', '255.255.255.255'],
  '168.63.129.16',
  ...['::', '::1', '::2', '::7f00:1', '::a00:1', '::ffff:ffff', '::127.0.0.1', '::8.8.8.8'],
  ...['::ffff:127.0.0.1', '::ffff:10.0.0.1', '::ffff:8.8.8.8', '::ffff:0:127.0.0.1'],
  ...[
    '64:ff9b::',
    '64:ff9b::7f00:1',
    '64:ff9b::ffff:ffff',
    '64:ff9b::a9fe:a9fe',
    '64:ff9b::10.0.0.1',
    '64:ff9b:1::',
    '64:ff9b:1::a00:1',
  ],
  ...['64:ff9b:1:ffff:ffff:ffff:ffff:ffff', '64:ff9b:2::1', '100::', '100::ffff:ffff:ffff:ffff'],
  ...['100:0:0:1::', '100:0:0:1:ffff::1', '200::1', '1fff:ffff::1'],
  ...['2001::', '2001::7f00:1', '2001:0:ffff::1', '2001:1::1', '2001:2::1', '2001:3::1', '2001:4:112::1'],
  ...['2001:10::1', '2001:20::1', '2001:30::1', '2001:1ff:ffff::1', '2001:db8::', '2001:db8:ffff::1'],
  ...['2002::', '2002:7f00:1::', '2002:a00:1::1', '2002:c0a8:101::1', '2002:808:808::1', '2620:4f:8000::1'],
  ...['3fff::', '3fff:fff:ffff::1', '4000::1', '5f00::1', '7fff::1', '8000::1', 'bfff::1', 'fbff::1'],
  ...['fc00::', 'fd00:ec2::254', 'fdff:ffff::1', 'fe00::1', 'fe80::', 'fe80::1', 'febf:ffff::1'],
  ...['fec0::', 'fec0::1', 'feff:ffff::1', 'ff00::', 'ff02::1', 'ffff:ffff::1'],
];

/** Neighbours of these blocks, and well-known servers. */
const taken = [
  ...['1.0.0.0', '8.8.8.8', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0', '126.255.255.255'],
  ...['128.0.0.0', '169.253.255.255', '169.255.0.0', '172.15.255.255', '172.32.0.0', '192.0.1.0'],
  ...['192.167.255.255', '192.169.0.0', '198.17.255.255', '198.20.0.0', '223.255.255.255', '168.63.129.17'],
  ...['2001:200::1', '2001:4860:4860::8888', '2001:db7::1', '2001:db9::1', '2003::1', '2606:4700::1111'],
  ...['2a00:1450::1', '3ffe:ffff::1'],
  // Public servers with IPv4 behind a NAT64.
  ...['64:ff9b::808:808', '64:ff9b::8.8.8.8'],
];

function lookupTo(...addresses: string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  // Answers later, as every resolver does: a socket tells of its look-up by an event, for which nobody listens yet.
  return (_hostname, options, done) =>
    setImmediate(() => {
      if (options.all) done(null, found);
      else done(null, found[0]?.address ?? '', found[0]?.family);
    });
}

const openTo = (...addresses: string[]) =>
  createOutbound({ allowPrivateAddresses: false, lookup: lookupTo(...addresses) });

/** Returns the addresses that do not hold, so that a test asserts once for all. */
async function violating(
  addresses: readonly string[],
  violates: (address: string) => Promise<boolean>,
): Promise<string[]> {
  const found = await Promise.all(addresses.map(async (one) => ((await violates(one)) ? [one] : [])));
  return found.flat();
}

t.test('special addresses are refused, written in the URL or found by their name', async (t) => {
  const isTaken = async (address: string, ...found: string[]) => {
    const host = found.length === 0 ? address : 'target.example';
    return (await findRefusal(openTo(...found), host)) === undefined;
  };
  t.strictSame(await violating(refused, (address) => isTaken(address)), [], 'in the URL');
  t.strictSame(await violating(refused, (address) => isTaken(address, address)), [], 'by its name');
  t.strictSame(
    await violating(refused, (address) => isTaken(address, '8.8.8.8', '2606:4700::1111', address)),
    [],
    'by a name that has other addresses too',
  );
});

t.test('for HTTP and HTTPS alike, with a message that names no address', async (t) => {
  const egress = createEgress({ allowPrivateAddresses: false });
  const sendTo = (url: string): Promise<unknown> =>
    egress.send({ method: 'GET', url, headers: {}, timeoutMs: 60_000 }).then(
      () => undefined,
      (error: unknown) => error,
    );
  for (const scheme of ['http', 'https']) {
    const found = await violating(refused, async (address) => {
      const error = await sendTo(`${scheme}://${address.includes(':') ? `[${address}]` : address}:1/`);
      const isRefusal = error instanceof EgressError && /^(address|metadata)$/.test(error.kind);
      return !isRefusal || String(error).includes(address);
    });
    t.strictSame(found, [], scheme);
  }
});

t.test('with a zone as well', async (t) => {
  for (const host of ['fe80::1%1', '::7f00:1%lo', '::1%lo']) {
    t.ok(await findRefusal(openTo(), host), host);
  }
});

t.test('public addresses are not refused', async (t) => {
  // A look-up sends nothing, where the address itself would be connected to.
  const found = await violating(taken, async (address) => {
    return (await findRefusal(openTo(address), 'target.example')) !== undefined;
  });
  t.strictSame(found, []);
});

t.test('an operator may allow all but the unspecified address and metadata services', async (t) => {
  const found = await violating(['127.0.0.1', '::1', '::7f00:1', 'fd00::1'], async (address) => {
    const open = createOutbound({ allowPrivateAddresses: true, lookup: lookupTo(address) });
    return (await findRefusal(open, 'target.example')) !== undefined;
  });
  t.strictSame(found, []);
  const open = createOutbound({ allowPrivateAddresses: true });
  const metadata = [
    ...['169.254.169.254', '::ffff:169.254.169.254', '64:ff9b::a9fe:a9fe', 'fd00:ec2::254'],
    ...['168.63.129.16', '100.100.100.200'],
  ];
  const passed = await violating(
    ['0.0.0.0', '::', ...metadata],
    async (address) =>
      (await findRefusal(open, address)) !== (metadata.includes(address) ? 'metadata' : 'invalid'),
  );
  t.strictSame(passed, [], 'and the metadata services of clouds');
});

t.test('an installation that changes its mind is followed by the next connection', async (t) => {
  let allowed = false;
  const open = createOutbound({ allowPrivateAddresses: () => allowed, lookup: lookupTo('10.0.0.1') });
  const refusals: unknown[] = [];
  for (allowed of [false, true, false]) refusals.push(await findRefusal(open, 'target.example'));
  t.strictSame(refusals, ['private', undefined, 'private']);
});
