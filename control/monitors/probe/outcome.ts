import type { CheckError } from '../../../contract/monitors.js';
import { isRefusedAddress } from '../../../lib/outbound/filtering-agents.js';
import type { Phases } from './phases.js';

/** The result of one check. */
export type Outcome = Phases & {
  ok: boolean;
  error: CheckError | null;
  /** A sentence for the operator, without secrets; null when the check passed. */
  detail: string | null;
  /** HTTP status; null when there is none. */
  status: number | null;
  /** From the start to the end of the response; null without a response, and for heartbeats. */
  totalMs: number | null;
};

/** The reason why a check failed. Only used within checks. */
export class CheckFailure extends Error {
  override name = 'CheckFailure';

  constructor(
    readonly error: CheckError,
    message: string,
  ) {
    super(message);
  }
}

/** The check could not be made, for a reason on our side. It does not count. */
export class ProbeError extends Error {
  override name = 'ProbeError';
}

/** Codes of c-ares and of getaddrinfo. */
const dnsCode =
  /^(ENOTFOUND|ENODATA|ESERVFAIL|EFORMERR|EREFUSED|ENOTIMP|EBADNAME|EBADRESP|EBADQUERY|ETIMEOUT|EAI_\w+)$/;
const tlsCode = /CERT|TLS|SSL|UNABLE_TO|EPROTO|HOSTNAME_MISMATCH/;
const unreachableCode = /^(EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|ENETDOWN|EACCES|EPERM|EINVAL)$/;
/** This process or machine has run out of files, ports or memory. */
const ownCode = /^(EMFILE|ENFILE|ENOBUFS|ENOMEM|EADDRNOTAVAIL)$/;

/**
 * The class of an error of a socket, of node's HTTP client or of the filtering agent, with a message that contains no
 * address of our network.
 *
 * @throws ProbeError when the cause is on our side and not the target's.
 */
export function explainFailure(error: unknown): CheckFailure {
  if (error instanceof CheckFailure) return error;
  if (isRefusedAddress(error)) {
    return new CheckFailure('blocked', 'The host leads to an address that is not public.');
  }
  const { code, syscall } = parseError(error);
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

function parseError(error: unknown): { code: string | undefined; syscall: string } {
  if (!(error instanceof Error)) return { code: undefined, syscall: '' };
  const { code, syscall } = error as NodeJS.ErrnoException; // Both are optional, and checked below.
  return { code: typeof code === 'string' ? code : undefined, syscall: syscall ?? '' };
}
