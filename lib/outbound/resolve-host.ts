import { type LookupAddress, lookup as lookupBySystem } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';

const timeoutMs = 2_500;

/**
 * Resolves host names for net.connect by asking the name servers directly. The usual way, getaddrinfo, holds one
 * of the process's four threads for as long as a name server is silent, so a tenant with such a one could hold up
 * everyone's requests and files.
 *
 * @param localNames whether a name that DNS does not have, such as one of /etc/hosts, is looked up the usual way.
 */
export function createResolver({ localNames }: { localNames: boolean }): LookupFunction {
  return (hostname, options, done) => {
    resolve(hostname).then(
      (found) => {
        const wanted = found.filter(({ family }) => isWanted(options.family, family));
        const [first] = wanted;
        if (first === undefined && localNames) lookupBySystem(hostname, options, done);
        else if (first === undefined) done(absent(hostname), '');
        else if (options.all) done(null, wanted);
        else done(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => done(error, ''),
    );
  };
}

/** Empty when there is no such name; rejects when that could not be found out. */
async function resolve(hostname: string): Promise<LookupAddress[]> {
  // RFC 6761, section 6.3: no name server is to be asked for these.
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

/** `asked` as net.connect gives it: 0 or nothing is any. */
function isWanted(asked: number | string | undefined, family: number): boolean {
  return asked === undefined || asked === 0 || asked === family || asked === `IPv${family}`;
}
