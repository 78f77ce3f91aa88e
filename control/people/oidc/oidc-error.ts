import { EgressError } from '../../../lib/outbound/egress-error.js';

/** `down`: the provider does not answer, or answers with an error of its own; `refused`: the answer proves nothing. */
export class OidcError extends Error {
  override name = 'OidcError';
  readonly kind: 'down' | 'refused';
  /** The code of the provider or of the check, such as `invalid_client`, for the log; without anything of a person. */
  readonly code: string | undefined;
  /** A text of the library that checks, for the log. */
  readonly reason: string | undefined;

  constructor(kind: 'down' | 'refused', cause: unknown) {
    super(
      kind === 'down' ? 'The identity provider does not answer.' : 'The identity provider proves nothing.',
      {
        cause,
      },
    );
    this.kind = kind;
    this.code = codeOf(cause);
    this.reason = reasonOf(cause);
  }
}

/** Texts of errors may name the person; codes do not. Entra has its own, in the description. */
function codeOf(error: unknown): string | undefined {
  const codes: string[] = [];
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { error: name, code, error_description: description } = cause as Error & Record<string, unknown>; // Read as unknown.
    for (const one of [name, code]) if (typeof one === 'string' && /^\w{1,60}$/.test(one)) codes.push(one);
    if (typeof description === 'string') codes.push(...(/\bAADSTS\d{1,9}\b/.exec(description) ?? []));
  }
  return codes.length === 0 ? undefined : [...new Set(codes)].join(', ');
}

/**
 * The check that failed, such as the claim and the clock. Its text is constant; a text that lies deeper may quote what the
 * provider sent.
 */
function reasonOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { message, cause } = error;
  return cause instanceof Error && cause.name === 'OperationProcessingError' ? cause.message : message;
}

/** Explains an error of a sign-in. A provider that answers with an error of its own is down: another try may work. */
export function explain(error: unknown): OidcError {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof EgressError) return new OidcError('down', error);
    if (hasServerError(cause)) return new OidcError('down', error);
  }
  return new OidcError('refused', error);
}

function hasServerError(error: object): boolean {
  return 'status' in error && typeof error.status === 'number' && error.status >= 500;
}

/** Whether an error or one of its causes has a code of the library. */
export function hasCode(error: unknown, code: string): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && cause.code === code) return true;
  }
  return false;
}
