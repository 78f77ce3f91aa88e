import { BlockList, isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Refuses an address: returns the error of a connection to it, or `undefined` when it may be connected to. */
export type AddressGuard = (address: string) => RefusedAddressError | undefined;

/**
 * Whether private addresses may be connected to. A function is asked for each connection, because the installation may
 * change its mind while it runs.
 */
export type PrivateAddresses = boolean | (() => boolean);

/** Why an address is refused; `metadata` is whatever the installation allows. */
export type RefusalReason = 'private' | 'metadata' | 'invalid';

/** A connection was not made, because of its address. */
export class RefusedAddressError extends Error {
  override name = 'RefusedAddressError';

  constructor(
    message: string,
    readonly reason: RefusalReason,
  ) {
    super(message);
  }
}

export function isRefusedAddress(error: unknown): error is RefusedAddressError {
  return error instanceof RefusedAddressError;
}

export function mayBePrivate(allowPrivateAddresses: PrivateAddresses): boolean {
  return typeof allowPrivateAddresses === 'function' ? allowPrivateAddresses() : allowPrivateAddresses;
}

/**
 * Where clouds give credentials to whoever asks from one of their machines: AWS, Google, Azure, Alibaba and Oracle.
 * Nobody watches these addresses, so they stay refused when private ones are allowed.
 */
const metadataAddresses = [
  ...[
    '169.254.169.254',
    '169.254.170.2',
    '169.254.170.23',
    '168.63.129.16',
    '100.100.100.200',
    '192.0.0.192',
  ],
  ...['fd00:ec2::254', 'fd00:ec2::23', 'fd20:ce::254'],
].map((address) => ipaddr.parse(address).toNormalizedString());

/** The only block of which IANA gives out global unicast addresses; some within it are for special purposes. */
const global6 = new BlockList();
global6.addSubnet('2000::', 3, 'ipv6');

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** Ways to write an IPv4 address as IPv6, which lead to it on some systems. */
const holdingIPv4 = ['::/96', '::ffff:0:0/96', '::ffff:0:0:0/96'].map((block) => ipaddr.parseCIDR(block));

/** The well-known prefix of NAT64 and DNS64 (RFC 6052): the last 32 bits are an IPv4 address. */
const nat64 = ipaddr.parseCIDR('64:ff9b::/96');

/**
 * Makes the guard of connections to addresses that tenants chose. Unless private addresses are allowed, it lets public
 * unicast addresses pass only. An address of the well-known prefix of NAT64 is judged by the IPv4 address that it leads
 * to, so that a machine with IPv6 alone reaches servers with IPv4; a network's own prefix says nothing, and is refused.
 */
export function createAddressGuard({
  allowPrivateAddresses,
}: {
  allowPrivateAddresses: PrivateAddresses;
}): AddressGuard {
  return (text) => {
    const [address = ''] = text.split('%', 1);
    if (isIP(address) === 0) return refuse(text, 'it is no address', 'invalid');
    const written = ipaddr.parse(address);
    const target = isIn(written, nat64) ? lastIPv4(written) : written;
    if (isMetadata(target)) return refuse(text, 'it is a metadata service', 'metadata');
    const range = target.range();
    if (mayBePrivate(allowPrivateAddresses)) {
      return range === 'unspecified' ? refuse(text, 'it is no target', 'invalid') : undefined;
    }
    const isGlobal =
      range === 'unicast' && (target.kind() === 'ipv4' || global6.check(target.toString(), 'ipv6'));
    return isGlobal ? undefined : refuse(text, 'it is not public', 'private');
  };
}

function isMetadata(address: Address): boolean {
  const target = holdingIPv4.some((block) => isIn(address, block)) ? lastIPv4(address) : address;
  return metadataAddresses.includes(target.toNormalizedString());
}

function isIn(address: Address, block: [Address, number]): boolean {
  return address.kind() === 'ipv6' && address.match(block);
}

function lastIPv4(address: Address): ipaddr.IPv4 {
  return new ipaddr.IPv4(address.toByteArray().slice(-4));
}

function refuse(address: string, why: string, reason: RefusalReason): RefusedAddressError {
  return new RefusedAddressError(`A connection to ${address} is refused, because ${why}.`, reason);
}
