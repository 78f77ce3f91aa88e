import { BlockList, isIP, isIPv4 } from 'node:net';
import { createLru } from './lru.js';

/** Whether a text is an IP address, or a network such as 10.0.0.0/8. */
export function isNetwork(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/');
  if (isIP(address) === 0 || rest.length > 0) return false;
  if (prefix === undefined) return true;
  // Fewer bits than 96 of an IPv4 address that is written as IPv6 are every IPv4 address, and a mistake.
  const bitsMin = plainAddress(address) === address ? 0 : 96;
  const bits = Number(prefix);
  return /^\d{1,3}$/.test(prefix) && bits >= bitsMin && bits <= (isIP(address) === 6 ? 128 : 32);
}

/**
 * Loopback, private and link-local networks (RFC 1918, 3927, 4193 and 4291): a machine, its containers, and the networks
 * in which instances and their monitoring usually are.
 */
export const privateNetworks: readonly string[] = [
  ...['127.0.0.0/8', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '169.254.0.0/16'],
  ...['::1', 'fc00::/7', 'fe80::/10'],
];

/** A socket that listens on IPv6 writes IPv4 peers as ::ffff:192.0.2.1. */
export function plainAddress(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  return mapped ?? address;
}

/** Addresses in memory with whether they are in the networks. */
const checkedMax = 10_000;

/** Returns a check whether an address, as plainAddress() writes it, is in one of the networks that isNetwork() accepts. */
export function createNetworkCheck(networks: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const network of networks) {
    const [given = '', prefix] = network.split('/', 2);
    const address = plainAddress(given);
    const family = familyOf(address);
    if (prefix === undefined) list.addAddress(address, family);
    // The prefix of an IPv4 network that is written as IPv6 (::ffff:10.0.0.0/104) includes the 96 bits before it.
    else list.addSubnet(address, Number(prefix) - (address === given ? 0 : 96), family);
  }
  // Checking an address takes longer than the rest of a request that is answered from memory.
  const checked = createLru<string, boolean>(checkedMax);
  return (address) => {
    const known = checked.get(address);
    if (known !== undefined) return known;
    const isInside = isIP(address) !== 0 && list.check(address, familyOf(address));
    checked.set(address, isInside);
    return isInside;
  };
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv4(address) ? 'ipv4' : 'ipv6';
}
