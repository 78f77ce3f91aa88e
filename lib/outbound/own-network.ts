import { isIP } from 'node:net';
import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os';

/** Addresses that lead no further than the link. */
const linkLocal = /^(fe80:|169\.254\.)/i;

/**
 * Whether a connection failed because this machine has no network for addresses of that family, such as IPv6. Routers
 * elsewhere may report the same code, so it says nothing while there is a network.
 */
export function lacksNetwork(
  error: unknown,
  interfaces: NodeJS.Dict<NetworkInterfaceInfo[]> = networkInterfaces(),
): boolean {
  if (!(error instanceof Error) || !('code' in error) || error.code !== 'ENETUNREACH') return false;
  const address = 'address' in error ? String(error.address) : '';
  const family = `IPv${isIP(address)}`;
  const own = Object.values(interfaces).flatMap((some = []) => some);
  return !own.some((one) => !one.internal && one.family === family && !linkLocal.test(one.address));
}
