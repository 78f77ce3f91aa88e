import type { CheckError, UnobservedCause } from '../../../contract/monitors.js';
import { isRefusedAddress } from '../../../lib/outbound/address-guard.js';
import { lacksNetwork } from '../../../lib/outbound/connect.js';
import { metadataMessage } from '../../../lib/outbound/egress-error.js';
import type { Outbound } from '../../../lib/outbound/request.js';
import type { Phases } from './phase-meter.js';

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
  /**
   * The earliest expiry of the certificates that an answered check met, in milliseconds since the epoch; null for an
   * answer without TLS. Absent without an answer.
   */
  certificateEndsAt?: number | null;
};

/** The reason why a check failed. Only used within checks. */
export class CheckFailure extends Error {
  override name = 'CheckFailure';
  readonly mayBeOurs: boolean;
  readonly status: number | null;

  constructor(
    readonly error: CheckError,
    message: string,
    {
      mayBeOurs = false,
      status = null,
    }: {
      /** Whether the name servers of this machine may be the cause. */
      mayBeOurs?: boolean;
      /** HTTP status of an answer that could not be read to its end. */
      status?: number | null;
    } = {},
  ) {
    super(message);
    this.mayBeOurs = mayBeOurs;
    this.status = status;
  }
}

/** Nothing was observed, for a reason that is not the target's. It does not count. */
export class ProbeError extends Error {
  override name = 'ProbeError';

  constructor(
    readonly unobserved: UnobservedCause,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** Codes of c-ares and of getaddrinfo. */
const dnsCode =
  /^(ENOTFOUND|ENODATA|ESERVFAIL|EFORMERR|EREFUSED|ENOTIMP|EBADNAME|EBADRESP|EBADQUERY|ETIMEOUT|EAI_\w+)$/;
const tlsCode = /CERT|TLS|SSL|UNABLE_TO|EPROTO|HOSTNAME_MISMATCH/;
const unreachableCode = /^(EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|EINVAL)$/;
/** The name servers have answered: there is no such name, or it has no address. */
const absentCode = /^(ENOTFOUND|ENODATA)$/;
/** This process or machine has run out of files, ports or memory, its network is down, or its firewall forbids it. */
const ownCode = /^(EMFILE|ENFILE|ENOBUFS|ENOMEM|EADDRNOTAVAIL|ENETDOWN|EACCES|EPERM)$/;

const blockedMessage =
  'The host leads to an address that is not public. An administrator of the installation can allow private addresses under Installation in the dashboard, or with HEARTLINE_ALLOW_PRIVATE_ADDRESSES=on.';

/**
 * Returns the class of an error of a socket, of node's HTTP client or of the address guard, with a message that contains no
 * address of our network.
 *
 * @throws ProbeError when the cause is on our side and not the target's.
 */
export function explainFailure(error: unknown): CheckFailure {
  if (error instanceof CheckFailure) return error;
  if (isRefusedAddress(error)) {
    throw error.reason === 'metadata'
      ? new ProbeError('metadata', metadataMessage)
      : new ProbeError('blocked', blockedMessage);
  }
  if (lacksNetwork(error)) {
    throw new ProbeError('internal', 'This machine has no network for the addresses of the host.');
  }
  const { code, syscall } = parseError(error);
  if (code === undefined || ownCode.test(code)) {
    throw new ProbeError('internal', `The check could not be made (${code ?? 'unknown error'}).`, {
      cause: error,
    });
  }
  if (dnsCode.test(code) || /^(query|getaddrinfo)/.test(syscall)) {
    const message = `The host name could not be resolved (${code}).`;
    return new CheckFailure('dns', message, { mayBeOurs: !absentCode.test(code) });
  }
  if (code === 'ECONNREFUSED') return new CheckFailure('refused', 'The connection was refused.');
  if (code === 'ETIMEDOUT') return new CheckFailure('timeout', 'The connection was not made in time.');
  if (unreachableCode.test(code))
    return new CheckFailure('unreachable', `The host has no way to it (${code}).`);
  if (tlsCode.test(code)) return new CheckFailure('tls', `The certificate or TLS was refused (${code}).`);
  if (code === 'HPE_HEADER_OVERFLOW') {
    return new CheckFailure('protocol', 'The headers of the answer are larger than 256 KiB.');
  }
  if (code.startsWith('HPE_')) return new CheckFailure('protocol', `The answer is not HTTP (${code}).`);
  return new CheckFailure('reset', `The connection was closed too early (${code}).`);
}

/**
 * Tells a target whose name cannot be resolved from a machine that cannot resolve any.
 *
 * @throws ProbeError when no name server of this machine answers.
 */
export async function checkOwnNames(
  failure: CheckFailure,
  { nameServersAnswer }: Pick<Outbound, 'nameServersAnswer'>,
): Promise<CheckFailure> {
  if (failure.mayBeOurs && !(await nameServersAnswer())) {
    throw new ProbeError('internal', 'No name server of this machine answers.');
  }
  return failure;
}

function parseError(error: unknown): { code: string | undefined; syscall: string } {
  if (!(error instanceof Error)) return { code: undefined, syscall: '' };
  const { code, syscall } = error as NodeJS.ErrnoException; // Both are optional, and checked below.
  return { code: typeof code === 'string' ? code : undefined, syscall: syscall ?? '' };
}
