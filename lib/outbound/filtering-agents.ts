import { RequestFilteringHttpAgent, RequestFilteringHttpsAgent } from 'request-filtering-agent';

export type FilteringAgents = { http: RequestFilteringHttpAgent; https: RequestFilteringHttpsAgent };

/** Azure's metadata service is the only one that has a public address. */
const publicMetadataAddresses = ['168.63.129.16'];

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
  return {
    http: new RequestFilteringHttpAgent(options),
    // The certificate is not checked again in a resumed TLS session.
    https: new RequestFilteringHttpsAgent({ ...options, rejectUnauthorized: true, maxCachedSessions: 0 }),
  };
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
