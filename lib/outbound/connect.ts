import { isIP, type LookupFunction, Socket } from 'node:net';
import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os';
import { withTimeout } from '../timeout.js';
import { secondMs } from '../times.js';
import type { AddressGuard, RefusalReason } from './address-guard.js';

/** How connections to addresses that tenants chose are made. */
export type Route = {
  guard: AddressGuard;
  lookup: LookupFunction;
  /** Roots in PEM that certificates must lead to, in place of those that Node.js trusts. */
  trustedCertificates?: string;
};

/** Called at the end of each part of a connection. */
export type ConnectWatcher = {
  /** The connection to a host begins. */
  begun(host: string): void;
  lookedUp(): void;
  connected(): void;
};

type Target = { host: string; port: number };

/** RFC 8305, section 5, "Connection Attempt Delay". */
const nextAttemptMs = 250;

/** A name may have thousands of addresses, each of which costs an attempt. */
const attemptsMax = 16;

/** A caller's signal ends the attempts earlier; the system's own limit is above two minutes. */
const connectMsMax = 60 * secondMs;

/** A name server that is slower tells nothing now; each check asks again. */
const refusalMs = 3 * secondMs;

/**
 * Connects to a host by TCP. The addresses of a name are looked up once, and all of them pass the guard before the first
 * attempt, so that a name cannot lead elsewhere in between. Each 250 ms, and as soon as an attempt fails, the next
 * address is tried, the families in turn; earlier attempts go on, and the first connection is taken (RFC 8305).
 *
 * @throws RefusedAddressError; the error of the look-up; the error of the first address that this machine has a network for,
 *   when no address can be connected to; the reason of `signal`.
 */
export async function connect(
  { guard, lookup }: Pick<Route, 'guard' | 'lookup'>,
  { host, port }: Target,
  { signal, watcher }: { signal?: AbortSignal | undefined; watcher?: ConnectWatcher | undefined } = {},
): Promise<Socket> {
  signal?.throwIfAborted();
  watcher?.begun(host);
  const addresses = await addressesOf({ lookup }, host, signal);
  if (addresses.length === 0) throw noAddress();
  const refusal = addresses.map(guard).find((problem) => problem !== undefined);
  if (isIP(host) === 0) watcher?.lookedUp();
  if (refusal !== undefined) throw refusal;
  const socket = await race(inTurn(addresses).slice(0, attemptsMax), port, signal);
  watcher?.connected();
  return socket;
}

/** Why the guard refuses a host now. A host that is not looked up in 3 s is not refused. Connects to nothing. */
export async function findRefusal(
  { guard, lookup }: Pick<Route, 'guard' | 'lookup'>,
  host: string,
): Promise<RefusalReason | undefined> {
  const looking = (signal: AbortSignal) => addressesOf({ lookup }, host, signal);
  const addresses = await withTimeout(looking, refusalMs).catch((): string[] => []);
  return addresses.map(guard).find((problem) => problem !== undefined)?.reason;
}

function addressesOf(
  { lookup }: Pick<Route, 'lookup'>,
  host: string,
  signal: AbortSignal | undefined,
): Promise<string[]> {
  if (isIP(host) !== 0) return Promise.resolve([host]);
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal?.reason);
    signal?.addEventListener('abort', abort, { once: true });
    lookup(host, { all: true }, (error, found) => {
      signal?.removeEventListener('abort', abort);
      if (error !== null) reject(error);
      else resolve(typeof found === 'string' ? [found] : found.map(({ address }) => address));
    });
  });
}

/** Returns the first family first, and then one address of each (RFC 8305, section 4). */
function inTurn(addresses: readonly string[]): string[] {
  const first = isIP(addresses[0] ?? '');
  const ours = addresses.filter((address) => isIP(address) === first);
  const others = addresses.filter((address) => isIP(address) !== first);
  return Array.from({ length: Math.max(ours.length, others.length) }, (_, i) => [ours[i], others[i]])
    .flat()
    .filter((address) => address !== undefined);
}

function race(addresses: readonly string[], port: number, signal: AbortSignal | undefined): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const sockets = new Map<Socket, string>();
    const failures = new Map<string, Error>();
    const waiting = [...addresses];
    let nextAttempt: NodeJS.Timeout | undefined;
    const end = (winner?: Socket): void => {
      clearTimeout(nextAttempt);
      clearTimeout(limit);
      // An attempt that is destroyed may still fail, and must not begin another one.
      waiting.length = 0;
      signal?.removeEventListener('abort', abort);
      for (const socket of sockets.keys()) if (socket !== winner) socket.destroy();
    };
    const fail = (error: unknown): void => {
      end();
      reject(error);
    };
    const abort = (): void => fail(signal?.reason);
    const attempt = (): void => {
      clearTimeout(nextAttempt);
      const address = waiting.shift();
      if (address === undefined) return;
      const socket = new Socket();
      sockets.set(socket, address);
      const failed = (error: Error): void => {
        sockets.delete(socket);
        failures.set(address, error);
        if (waiting.length > 0) attempt();
        else if (sockets.size === 0) fail(tellingOf(addresses, failures));
      };
      socket.on('error', failed);
      socket.once('connect', () => {
        socket.off('error', failed);
        end(socket);
        resolve(socket);
      });
      socket.connect({ host: address, port, noDelay: true, autoSelectFamily: false });
      if (waiting.length > 0) nextAttempt = setTimeout(attempt, nextAttemptMs);
    };
    const limit = setTimeout(() => fail(tooLate()), connectMsMax);
    signal?.addEventListener('abort', abort, { once: true });
    attempt();
  });
}

/** An address of a family that this machine has no network for says nothing about the host. */
function tellingOf(addresses: readonly string[], failures: ReadonlyMap<string, Error>): Error | undefined {
  const errors = addresses.map((address) => failures.get(address)).filter((error) => error !== undefined);
  return errors.find((error) => !lacksNetwork(error)) ?? errors[0];
}

function noAddress(): Error {
  return Object.assign(new Error('The name has no address.'), { code: 'ENOTFOUND' });
}

function tooLate(): Error {
  return Object.assign(new Error(`No connection within ${connectMsMax / secondMs} s.`), {
    code: 'ETIMEDOUT',
  });
}

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
