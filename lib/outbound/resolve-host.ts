import { type LookupAddress, lookup as lookupBySystem } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { mayBePrivate, type PrivateAddresses } from './address-guard.js';

const timeoutMs = 2_500;
const answerMs = 2_500;

/**
 * Resolves host names for net.connect by asking the name servers directly. The system's getaddrinfo holds one of the
 * four threads of the process for as long as a name server is silent, so the silent name server of one tenant could
 * hold up the requests and files of all.
 *
 * @param localNames whether getaddrinfo looks up names that DNS does not have, such as names of /etc/hosts: where private
 *   addresses are allowed.
 */
export function createResolver({ localNames }: { localNames: PrivateAddresses }): LookupFunction {
  return (hostname, options, done) => {
    resolve(hostname).then(
      (found) => {
        const wanted = found.filter(({ family }) => isWanted(options.family, family));
        const [first] = wanted;
        if (first === undefined && mayBePrivate(localNames)) lookupBySystem(hostname, options, done);
        else if (first === undefined) done(absent(hostname), '');
        else if (options.all) done(null, wanted);
        else done(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => done(error, ''),
    );
  };
}

/**
 * Whether the name servers of this machine answer at all. Asks them for a name that each of them knows by itself (RFC
 * 6761, section 6.3), so that the answer says nothing about servers elsewhere. Takes at most 2.5 seconds.
 *
 * @param servers addresses with ports, in place of the name servers of the machine.
 */
export async function nameServersAnswer(servers?: readonly string[]): Promise<boolean> {
  const resolver = new Resolver({ timeout: 1_000, tries: 2 });
  if (servers !== undefined) resolver.setServers(servers);
  // It would try each of many servers twice, and wait longer each time.
  const timer = setTimeout(() => resolver.cancel(), answerMs);
  return resolver
    .resolve4('localhost')
    .then(() => true, isAbsent)
    .finally(() => clearTimeout(timer));
}

/** Returns nothing when the name does not exist; rejects when no name server answers. */
async function resolve(hostname: string): Promise<LookupAddress[]> {
  // RFC 6761, section 6.3: these names do not go to a name server.
  if (/(^|\.)localhost\.?$/i.test(hostname)) {
    return [
      { address: '127.0.0.1', family: 4 },
      { address: '::1', family: 6 },
    ];
  }
  const resolver = new Resolver({ timeout: timeoutMs, tries: 2 });
  const [v4, v6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  const found = [
    ...(v4.status === 'fulfilled' ? v4.value.map((address) => ({ address, family: 4 })) : []),
    ...(v6.status === 'fulfilled' ? v6.value.map((address) => ({ address, family: 6 })) : []),
  ];
  const failure = [v4, v6].find((one) => one.status === 'rejected' && !isAbsent(one.reason));
  if (found.length === 0 && failure?.status === 'rejected') throw failure.reason;
  return found;
}

function isAbsent(error: NodeJS.ErrnoException): boolean {
  return error.code === 'ENOTFOUND' || error.code === 'ENODATA';
}

function absent(hostname: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${hostname} has no address.`), { code: 'ENOTFOUND' });
}

/** `asked` is what net.connect gives; 0 and nothing stand for any family. */
function isWanted(asked: number | string | undefined, family: number): boolean {
  return asked === undefined || asked === 0 || asked === family || asked === `IPv${family}`;
}
