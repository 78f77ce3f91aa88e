import { isRefusedAddress } from '../../../lib/outbound/filtering-agents.js';
import { CheckFailure, ProbeError } from './outcome.js';

/** Of c-ares and of getaddrinfo. */
const dnsCode =
  /^(ENOTFOUND|ENODATA|ESERVFAIL|EFORMERR|EREFUSED|ENOTIMP|EBADNAME|EBADRESP|EBADQUERY|ETIMEOUT|EAI_\w+)$/;
const tlsCode = /CERT|TLS|SSL|UNABLE_TO|EPROTO|HOSTNAME_MISMATCH/;
const unreachableCode = /^(EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|ENETDOWN|EACCES|EPERM|EINVAL)$/;
/** Files, ports or memory that this process or machine has no more of. */
const ownCode = /^(EMFILE|ENFILE|ENOBUFS|ENOMEM|EADDRNOTAVAIL)$/;

/**
 * The error of a socket, of node's HTTP client or of the filtering agent as a class, in words that hold no address
 * of our network.
 *
 * @throws ProbeError when it is not the target's.
 */
export function explainFailure(error: unknown): CheckFailure {
  if (error instanceof CheckFailure) return error;
  if (isRefusedAddress(error)) {
    return new CheckFailure('blocked', 'The host leads to an address that is not public.');
  }
  const { code, syscall } = readError(error);
  if (code === undefined || ownCode.test(code)) {
    throw new ProbeError(`The check could not be made (${code ?? 'unknown error'}).`, { cause: error });
  }
  if (dnsCode.test(code) || /^(query|getaddrinfo)/.test(syscall)) {
    return new CheckFailure('dns', `The host name could not be resolved (${code}).`);
  }
  if (code === 'ECONNREFUSED') return new CheckFailure('refused', 'The connection was refused.');
  if (code === 'ETIMEDOUT') return new CheckFailure('timeout', 'The connection was not made in time.');
  if (unreachableCode.test(code))
    return new CheckFailure('unreachable', `The host has no way to it (${code}).`);
  if (tlsCode.test(code)) return new CheckFailure('tls', `The certificate or TLS was refused (${code}).`);
  if (code.startsWith('HPE_')) return new CheckFailure('protocol', `The answer is not HTTP (${code}).`);
  return new CheckFailure('reset', `The connection was closed too early (${code}).`);
}

function readError(error: unknown): { code: string | undefined; syscall: string } {
  if (!(error instanceof Error)) return { code: undefined, syscall: '' };
  const { code, syscall } = error as NodeJS.ErrnoException; // Whether it has them is what is asked.
  return { code: typeof code === 'string' ? code : undefined, syscall: syscall ?? '' };
}
