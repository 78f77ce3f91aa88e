import { RequestFilteringHttpAgent, RequestFilteringHttpsAgent } from 'request-filtering-agent';

export type FilteringAgents = { http: RequestFilteringHttpAgent; https: RequestFilteringHttpsAgent };

/** Azure's metadata service, the one that has a public address. */
const publicMetadataAddresses = ['168.63.129.16'];

/**
 * Agents for requests to addresses that tenants chose. Unless private addresses are allowed, a connection is
 * refused to all but public unicast addresses, whichever way the host is written or resolves: each address is
 * checked right before it is connected to.
 */
export function createFilteringAgents({
  allowPrivateAddresses,
}: {
  allowPrivateAddresses: boolean;
}): FilteringAgents {
  // A connection that was kept could outlive what its name resolved to.
  const options = {
    keepAlive: false,
    allowPrivateIPAddress: allowPrivateAddresses,
    denyIPAddressList: allowPrivateAddresses ? [] : publicMetadataAddresses,
  };
  return {
    http: new RequestFilteringHttpAgent(options),
    // In a resumed TLS session the certificate is not checked again.
    https: new RequestFilteringHttpsAgent({ ...options, rejectUnauthorized: true, maxCachedSessions: 0 }),
  };
}

/** Whether an error is the refusal of an address by these agents. */
export function isRefusedAddress(error: unknown): boolean {
  // Their refusals have no code, and all begin like this.
  return error instanceof Error && !('code' in error) && error.message.startsWith('DNS lookup ');
}
