import { lookup as lookupBySystem } from 'node:dns';
import { BlockList, isIPv6, type LookupFunction, Socket, type TcpNetConnectOpts } from 'node:net';
import { RequestFilteringHttpAgent, RequestFilteringHttpsAgent } from 'request-filtering-agent';

export type FilteringAgents = { http: RequestFilteringHttpAgent; https: RequestFilteringHttpsAgent };

/** Azure's metadata service is the only one that has a public address. */
const publicMetadataAddresses = ['168.63.129.16'];

/**
 * Everything but 2000::/3, the only block of which IANA gives out global unicast addresses. The package refuses the
 * blocks that have a name, here and within 2000::/3. It takes the rest for public: ::7f00:1, an old way to write
 * 127.0.0.1, and addresses that only the network of this machine may have a use for, such as those of a NAT64.
 */
const notGlobal = new BlockList();
notGlobal.addSubnet('::', 3, 'ipv6');
notGlobal.addSubnet('4000::', 2, 'ipv6');
notGlobal.addSubnet('8000::', 1, 'ipv6');

/**
 * Makes agents for requests to addresses that tenants chose. Unless private addresses are allowed, the agents connect
 * to public unicast addresses only, whichever way the host is written or resolves: each address is checked right before
 * the connection is made.
 */
export function createFilteringAgents({
  allowPrivateAddresses,
}: {
  allowPrivateAddresses: boolean;
}): FilteringAgents {
  // A connection that is kept could outlive the address that its name resolved to.
  const options = {
    keepAlive: false,
    allowPrivateIPAddress: allowPrivateAddresses,
    denyIPAddressList: allowPrivateAddresses ? [] : publicMetadataAddresses,
  };
  const http = new RequestFilteringHttpAgent(options);
  // The certificate is not checked again in a resumed TLS session.
  const https = new RequestFilteringHttpsAgent({
    ...options,
    rejectUnauthorized: true,
    maxCachedSessions: 0,
  });
  if (!allowPrivateAddresses) for (const agent of [http, https]) refuseNotGlobal(agent);
  return { http, https };
}

/** The lists of the package cannot hold these blocks: it warns of each IPv4 address that it compares with IPv6. */
function refuseNotGlobal(agent: RequestFilteringHttpAgent | RequestFilteringHttpsAgent): void {
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (options, listener) => {
    const refusal = problemOf(options.host ?? '');
    if (refusal === undefined) return connect({ ...options, lookup: checkedLookup(options) }, listener);
    const socket = new Socket();
    if (listener === undefined) socket.destroy(refusal);
    else listener(refusal, socket);
    return socket;
  };
}

/** Looks up names as `options` say, and refuses the answer when one of the addresses is refused. */
function checkedLookup({ lookup = lookupBySystem }: TcpNetConnectOpts): LookupFunction {
  return (hostname, options, done) => {
    lookup(hostname, options, (error, found, family) => {
      const addresses = typeof found === 'string' ? [found] : found?.map(({ address }) => address);
      const refusal = addresses?.map(problemOf).find((problem) => problem !== undefined);
      done(error ?? refusal ?? null, found, family);
    });
  };
}

/** Worded as the refusals of the package. */
function problemOf(host: string): Error | undefined {
  const [address = ''] = host.split('%', 1);
  if (!isIPv6(address) || !notGlobal.check(address, 'ipv6')) return undefined;
  return new Error(`DNS lookup ${host} is not allowed. Because, It is not a global unicast address.`);
}

/** Returns the agent for a URL with `http:` or `https:`. */
export function agentFor(
  { http, https }: FilteringAgents,
  url: URL | string,
): RequestFilteringHttpAgent | RequestFilteringHttpsAgent {
  return new URL(url).protocol === 'https:' ? https : http;
}

/** Whether an error is the refusal of an address by these agents. */
export function isRefusedAddress(error: unknown): boolean {
  // The refusals of the package have no code, and all begin with these words.
  return error instanceof Error && !('code' in error) && error.message.startsWith('DNS lookup ');
}
