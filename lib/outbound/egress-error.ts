import { isRefusedAddress } from './address-guard.js';

export type EgressErrorKind =
  | 'url'
  | 'address'
  | 'metadata'
  | 'dns'
  | 'connection'
  | 'tls'
  | 'timeout'
  | 'protocol';

/** Why a request has no answer: `kind` is for programs, the message is one sentence for the person whose URL it is. */
export class EgressError extends Error {
  override name = 'EgressError';
  readonly kind: EgressErrorKind;
  /** Code of the system, of OpenSSL or of node's HTTP parser, such as `ECONNREFUSED`. */
  readonly code: string | undefined;

  constructor(kind: EgressErrorKind, message: string, code?: string) {
    super(message);
    this.kind = kind;
    this.code = code;
  }
}

/** No setting allows these addresses, so the sentence names none. */
export const metadataMessage =
  'The host leads to the metadata service of a cloud, which gives credentials to whoever asks; it is always refused.';

const dnsCode = /^(ENOTFOUND|ENODATA|ESERVFAIL|EREFUSED|ETIMEOUT|EAI_\w+)$/;
const tlsCode = /CERT|TLS|SSL|UNABLE_TO|EPROTO|HOSTNAME_MISMATCH/;

/** Explains an error of node's HTTP client or of the address guard without naming an address of our network. */
export function explainFailure(error: unknown): EgressError {
  if (isRefusedAddress(error)) {
    return error.reason === 'metadata'
      ? new EgressError('metadata', metadataMessage)
      : new EgressError('address', 'The host leads to an address that is not public.');
  }
  const code = codeOf(error);
  if (code === undefined) return new EgressError('connection', 'The request failed.');
  const explain = (kind: EgressErrorKind, what: string) => new EgressError(kind, `${what} (${code}).`, code);
  if (dnsCode.test(code)) return explain('dns', 'The host name could not be resolved');
  if (tlsCode.test(code)) return explain('tls', 'The certificate or TLS was refused');
  if (code.startsWith('HPE_')) return explain('protocol', 'The answer is not HTTP');
  return explain('connection', 'The connection failed');
}

function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
