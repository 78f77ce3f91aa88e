import { BlockList, isIP, isIPv4 } from 'node:net';
import type { Context } from 'koa';
import { LRUCache } from 'lru-cache';

/** The client of a request, and the host that it asked for. */
export type RequestOrigin = {
  /** Lower case, without port and final dot; empty when the request names no host. */
  hostname: string;
  /** An IP address; an IPv4 address is never written as IPv6. */
  clientAddress: string;
  /** Whether a trusted proxy says that the client came by HTTPS; absent when none says so. */
  isSecure?: true;
};

export type OriginParser = (ctx: Pick<Context, 'req'>) => RequestOrigin;

/** Addresses in memory with whether they are proxies. */
const checkedMax = 10_000;

/**
 * Takes both from Host and the socket. X-Forwarded-Host, -For and -Proto count only when the peer of the socket is one
 * of the trusted proxies (addresses, or networks such as 10.0.0.0/8), because any other client can write anything there.
 */
export function createOriginParser(trustedProxies: readonly string[]): OriginParser {
  const isTrusted = createProxyCheck(trustedProxies);
  return ({ req: { headers, socket } }) => {
    const peer = plainAddress(socket.remoteAddress ?? '');
    if (!isTrusted(peer)) return { hostname: plainHostname(headers.host), clientAddress: peer };
    const forwardedHost = listOf(headers['x-forwarded-host']).at(-1);
    const isSecure = listOf(headers['x-forwarded-proto']).at(-1)?.toLowerCase() === 'https';
    return {
      hostname: plainHostname(forwardedHost ?? headers.host),
      clientAddress: forwardedClient(listOf(headers['x-forwarded-for']), isTrusted) ?? peer,
      ...(isSecure && { isSecure }),
    };
  };
}

function createProxyCheck(proxies: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const proxy of proxies) {
    const [given = '', prefix] = proxy.split('/', 2);
    const address = plainAddress(given);
    const family = familyOf(address);
    if (prefix === undefined) list.addAddress(address, family);
    // The prefix of an IPv4 network that is written as IPv6 (::ffff:10.0.0.0/104) includes the 96 bits before it.
    else list.addSubnet(address, Number(prefix) - (address === given ? 0 : 96), family);
  }
  // Checking an address takes longer than the rest of a request that is answered from memory.
  const checked = new LRUCache<string, boolean>({ max: checkedMax });
  return (address) => {
    const known = checked.get(address);
    if (known !== undefined) return known;
    const isProxy = isIP(address) !== 0 && list.check(address, familyOf(address));
    checked.set(address, isProxy);
    return isProxy;
  };
}

/**
 * Each proxy appends the address of its peer, so the right-most address that is not a trusted proxy is the last one that
 * a trusted proxy has seen. The addresses left of it may be made up.
 */
function forwardedClient(
  addresses: readonly string[],
  isTrusted: (address: string) => boolean,
): string | undefined {
  const known = addresses.map(withoutPort);
  const client = known.findLast((address) => !isTrusted(address)) ?? known[0];
  return client !== undefined && isIP(client) !== 0 ? client : undefined;
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv4(address) ? 'ipv4' : 'ipv6';
}

/** A socket that listens on IPv6 writes IPv4 peers as ::ffff:192.0.2.1. */
function plainAddress(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  return mapped ?? address;
}

/** Some proxies append the port: 192.0.2.1:4711 or [2001:db8::1]:4711. */
function withoutPort(text: string): string {
  const bare = /^\[([^\]]*)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
  return plainAddress(bare);
}

function plainHostname(host: string | undefined): string {
  return (host ?? '').toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '');
}

/** Elements of a header that may be a list and may come several times. */
function listOf(header: string | string[] | undefined): string[] {
  return [header ?? []]
    .flat()
    .join(',')
    .split(',')
    .map((element) => element.trim())
    .filter(Boolean);
}
