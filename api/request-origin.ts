import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { Context } from 'koa';
import { createNetworkCheck, plainAddress } from '../lib/networks.js';

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

/**
 * Takes both from Host and the socket. X-Forwarded-Host, -For and -Proto count only when the peer of the socket is one
 * of the trusted proxies (addresses, or networks such as 10.0.0.0/8), because any other client can write anything there.
 */
export function createOriginParser(trustedProxies: readonly string[]): OriginParser {
  const isTrusted = createNetworkCheck(trustedProxies);
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

/** Whether a proxy has passed the request on, as far as it says so. */
export function isForwarded({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return forwarding.some((name) => headers[name] !== undefined);
}

/** Whether X-Forwarded-For names nobody before this client, which is otherwise a proxy that nobody trusts. */
export function isNamedFirst({ headers }: Pick<IncomingMessage, 'headers'>, clientAddress: string): boolean {
  return listOf(headers['x-forwarded-for']).map(withoutPort).lastIndexOf(clientAddress) === 0;
}

const forwarding = [
  'forwarded',
  'via',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
];

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

/** Whether the client of a request may read what is for operators: the metrics, and which store does not answer. */
export type MayObserve = (ctx: Pick<Context, 'req'>) => boolean;

/**
 * Compares the client with the networks. A client behind a trusted proxy is the one that the proxy names. What any other
 * proxy has passed on may come from anybody: what such a proxy sends to a trusted one, after it has named its own client,
 * and what a trusted proxy passes on without naming the client.
 */
export function createObserverCheck(parseOrigin: OriginParser, networks: readonly string[]): MayObserve {
  const isObserver = createNetworkCheck(networks);
  return ({ req }) => {
    const { clientAddress } = parseOrigin({ req });
    const isNamed = clientAddress !== plainAddress(req.socket.remoteAddress ?? '');
    const isKnown = isNamed ? isNamedFirst(req, clientAddress) : !isForwarded(req);
    return isKnown && isObserver(clientAddress);
  };
}

/** Whether this is a name of the machine that asks. */
export function isLoopback(hostname: string): boolean {
  return (
    hostname === 'localhost' || hostname === '[::1]' || (isIP(hostname) === 4 && /^127\./.test(hostname))
  );
}

/** Whether a host is an IP address; one of version 6 may be in brackets. */
export function isAddress(hostname: string): boolean {
  return isIP(hostname.replace(/^\[|\]$/g, '')) !== 0;
}

/**
 * Returns the setting that opens the dashboard where a request went, such as `BASE_URL=http://heartline.lan:8080`. Behind
 * a proxy the port is not known.
 */
export function baseUrlToSet({ req }: Pick<Context, 'req'>, { hostname, isSecure }: RequestOrigin): string {
  const { host = '' } = req.headers;
  const isAsked = host.toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '') === hostname;
  const place = isAsked ? host : hostname;
  const asked = `${isSecure ? 'https' : 'http'}://${place}`;
  return `BASE_URL=${URL.canParse(asked) ? new URL(asked).origin : 'https://status.example.com'}`;
}
