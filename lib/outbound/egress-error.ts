import { isRefusedAddress } from './filtering-agents.js';

export type EgressErrorKind = 'url' | 'address' | 'dns' | 'connection' | 'tls' | 'timeout' | 'protocol';

/** Why a request has no answer: a class for programs, a sentence for the person whose URL it is. */
export class EgressError extends Error {
  override name = 'EgressError';
  readonly kind: EgressErrorKind;

  constructor(kind: EgressErrorKind, message: string) {
    super(message);
    this.kind = kind;
  }
}

const dnsCode = /^(ENOTFOUND|ENODATA|ESERVFAIL|EREFUSED|ETIMEOUT|EAI_\w+)$/;
const tlsCode = /CERT|TLS|SSL|UNABLE_TO|EPROTO|HOSTNAME_MISMATCH/;

/** The error of node's HTTP client or of the filtering agent in words that hold no address of our network. */
export function explainFailure(error: unknown): EgressError {
  const code = readCode(error);
  if (isRefusedAddress(error)) {
    return new EgressError('address', 'The host leads to an address that is not public.');
  }
  if (code === undefined) return new EgressError('connection', 'The request failed.');
  if (dnsCode.test(code)) return new EgressError('dns', `The host name could not be resolved (${code}).`);
  if (tlsCode.test(code)) return new EgressError('tls', `The certificate or TLS was refused (${code}).`);
  if (code.startsWith('HPE_')) return new EgressError('protocol', `The answer is not HTTP (${code}).`);
  return new EgressError('connection', `The connection failed (${code}).`);
}

function readCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code } = error as NodeJS.ErrnoException; // Whether it has one is what is asked.
  return typeof code === 'string' ? code : undefined;
}
