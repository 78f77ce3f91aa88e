import type { NetworkInterfaceInfo } from 'node:os';
import t from 'tap';
import { lacksNetwork } from '../../lib/outbound/connect.js';

const interfaceWith = (address: string, internal = false): NetworkInterfaceInfo[] => [
  address.includes(':')
    ? { address, internal, family: 'IPv6', netmask: '', mac: '', cidr: null, scopeid: 0 }
    : { address, internal, family: 'IPv4', netmask: '', mac: '', cidr: null },
];
const failure = (code: string, address: string) => Object.assign(new Error(code), { code, address });

t.test('no way to an address is our fault without a network of its family', async (t) => {
  const loopback = { lo: interfaceWith('127.0.0.1', true) };
  const v4 = { ...loopback, eth0: interfaceWith('192.0.2.7') };
  t.equal(lacksNetwork(failure('ENETUNREACH', '192.0.2.1'), loopback), true);
  t.equal(lacksNetwork(failure('ENETUNREACH', '192.0.2.1'), v4), false, 'a router may have said so');
  t.equal(lacksNetwork(failure('ENETUNREACH', '2001:db8::1'), v4), true);
  t.equal(
    lacksNetwork(failure('ENETUNREACH', '2001:db8::1'), { ...v4, eth1: interfaceWith('fe80::1') }),
    true,
  );
  t.equal(lacksNetwork(failure('ENETUNREACH', '2001:db8::1'), { eth0: interfaceWith('2001:db8::2') }), false);
  t.equal(lacksNetwork(failure('EHOSTUNREACH', '192.0.2.1'), loopback), false);
  t.equal(lacksNetwork(new Error('no code'), loopback), false);
});
