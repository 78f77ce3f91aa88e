import { isPlainPath } from '../../../lib/web-address.js';
import { parseRetryAfter } from './retry.js';

/** A read that failed. `status` is 0 when no answer came. */
export class ReadError extends Error {
  override readonly name = 'ReadError';
  constructor(
    readonly status: number,
    message: string,
    /** Further fields of the answer, such as the place of a mistake in SQL. */
    readonly body: Readonly<Record<string, unknown>> = {},
    /** Without an answer: whether the same request, sent once more, does nothing twice. */
    readonly mayRepeat = false,
    /** When the service takes the same request again, where it says so. */
    readonly retryAfterMs: number | undefined = undefined,
  ) {
    super(message);
  }

  /** Why, for a program. `undefined` without an answer, and for one of a proxy. */
  get code(): string | undefined {
    const { code } = this.body;
    return typeof code === 'string' ? code : undefined;
  }
}

/**
 * An answer; `unchanged` when the browser has it. `asOf` is up to when it has everything by the clock of the service, in
 * milliseconds since the epoch, where the service says so.
 */
export type Answer<T> = { body: T; etag: string | undefined; asOf: number | undefined } | 'unchanged';

/** `timeoutMs` is for answers that take longer than usual. */
type FetchOptions = RequestInit & { timeoutMs?: number };

/** Longer than the 8.5 s in which the service answers, and than the 10 s of SQL. */
export const requestMsMax = 20_000;

/**
 * Requests JSON from the management API. Leaves for the sign-in when the session has ended.
 *
 * @throws ReadError with the sentence of the service; DOMException AbortError when `signal` ends the request
 */
export async function fetchJson<T>(
  path: string,
  { etag, ...init }: FetchOptions & { etag?: string | undefined } = {},
): Promise<Answer<T>> {
  const response = await fetchAnswer(path, {
    ...init,
    headers: {
      accept: 'application/json',
      ...(etag !== undefined && { 'if-none-match': etag }),
      ...init.headers,
    },
  });
  if (response.status === 304) return 'unchanged';
  const body: T = response.status === 204 ? (undefined as T) : await response.json(); // 204 is for callers without one.
  const asOf = Date.parse(response.headers.get('heartline-as-of') ?? '');
  return {
    ...{ body, etag: response.headers.get('etag') ?? undefined },
    asOf: Number.isNaN(asOf) ? undefined : asOf,
  };
}

/**
 * Requests anything from the management API. Resolves with a success or a 304. A name of the address bar that would lead to
 * another route is the name of nothing.
 *
 * @throws as fetchJson()
 */
export async function fetchAnswer(
  path: string,
  { signal, timeoutMs = requestMsMax, ...init }: FetchOptions,
): Promise<Response> {
  if (!isPlainPath(path)) throw new ReadError(404, '');
  const response = await fetch(path, {
    ...init,
    // Conditions are this module's: the browser's cache would answer a 304 as 200 with the older body.
    cache: 'no-store',
    signal: withTimeout(signal ?? undefined, timeoutMs),
  }).catch((error: unknown) => {
    if (signal?.aborted === true) throw error;
    throw new ReadError(0, '', {}, mayRepeat(init));
  });
  if (response.status === 401) leaveForSignIn();
  if (!response.ok && response.status !== 304) throw await errorOf(response);
  return response;
}

/**
 * A request with a body of JSON. `ifMatch` is the tag of the state that it changes; with another state it is refused.
 * Requests with one `publishKey` publish once.
 */
export function requestOf(method: string, body?: object, ifMatch?: string, publishKey?: string): RequestInit {
  return {
    method,
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(ifMatch !== undefined && { 'if-match': ifMatch }),
      ...(publishKey !== undefined && { 'idempotency-key': publishKey }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  };
}

type Method = 'POST' | 'PUT' | 'PATCH' | 'DELETE';
type SendOptions = {
  /** For one that takes long. */
  timeoutMs?: number;
  /** The tag of the state that it changes; with another state it is refused with 412. */
  ifMatch?: string | undefined;
  /** Further attempts with the key that was published answer with what the first one made. */
  publishKey?: string | undefined;
  /** Refused with 412 when the thing exists already. */
  isNew?: boolean;
};

/** All but what creates leave the same state when they are sent twice; a POST does with a key. */
function mayRepeat({ method, headers }: RequestInit): boolean {
  const sent = new Headers(headers);
  return method === 'POST' ? sent.has('idempotency-key') : !sent.has('if-none-match');
}

/** Sends a change and returns the answer. @throws as fetchJson() */
export async function sendJson<T>(
  method: Method,
  path: string,
  body?: object,
  options: SendOptions = {},
): Promise<T> {
  return (await sendForTag<T>(method, path, body, options)).body;
}

/** Sends a change and returns the answer with its tag. @throws as fetchJson() */
export async function sendForTag<T>(
  method: Method,
  path: string,
  body?: object,
  { ifMatch, isNew = false, publishKey, ...options }: SendOptions = {},
): Promise<Exclude<Answer<T>, 'unchanged'>> {
  const etag = isNew ? '*' : undefined;
  const request = requestOf(method, body, ifMatch, publishKey);
  const answer = await fetchJson<T>(path, { ...options, etag, ...request });
  if (answer === 'unchanged') throw new ReadError(304, '');
  return answer;
}

/** The person comes back to the same screen. */
function leaveForSignIn(): void {
  const to = location.pathname + location.search;
  location.assign(`/manage/sign-in?${new URLSearchParams({ to })}`);
}

function withTimeout(signal: AbortSignal | undefined, timeoutMs: number): AbortSignal {
  const timeout = AbortSignal.timeout(timeoutMs);
  return signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
}

async function errorOf(response: Response): Promise<ReadError> {
  const body: unknown = await response.json().catch(() => undefined);
  const fields = typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {}; // Any object has names.
  const message = typeof fields['error'] === 'string' ? fields['error'] : '';
  const retryAfterMs = parseRetryAfter(response.headers.get('retry-after'));
  return new ReadError(response.status, message, fields, false, retryAfterMs);
}

/** Problems of the fields of a form, by field name. */
export type FieldErrors = Readonly<Record<string, string>>;

/** A refusal of a field of the request body: its path, such as `['links', '0', 'url']`, and what is wrong with it. */
export type FieldError = { path: readonly string[]; problem: string };

/** The field that a refusal is about, without its pointer at the head of the sentence; `undefined` for none. */
export function fieldErrorOf({ body: { field: pointer }, message }: ReadError): FieldError | undefined {
  if (typeof pointer !== 'string') return undefined;
  const problem = message.startsWith(`${pointer} `) ? message.slice(pointer.length + 1) : message;
  return { path: pointer.split('/').slice(1), problem };
}
