import { setTimeout as sleep } from 'node:timers/promises';
import { startDeadline } from '../../lib/timeout.js';
import type { RemoteConfig } from '../../service/settings/remote-config.js';
import type { Body, Condition, Method, Transport } from './client.js';

/** Longer than any route takes. */
const timeoutMs = 60_000;
/** How often a request is sent again after a wait, each of at most a minute. */
const waitsMax = 5;
const waitSecondsMax = 60;

type Sent = {
  body?: Body | undefined;
  condition?: Condition | undefined;
  /** Ends the request, and the wait before it is sent again, with its reason. */
  signal?: AbortSignal;
};

/** An answer that has arrived whole. */
type Answer = Pick<Response, 'status' | 'headers'> & { bytes: Buffer };

/**
 * Asks an installation elsewhere. Nothing is sent twice, because the first request may have done its work, except what the
 * installation puts off as one request too many: that it has not looked at.
 */
export function overHttp({ url, key }: RemoteConfig): Transport {
  async function request(method: Method, path: string, sent: Sent, waits = 0): Promise<Answer> {
    const answer = await requestOnce(method, path, sent);
    const seconds = Number(answer.headers.get('retry-after') ?? Number.NaN);
    if (answer.status !== 429 || waits === waitsMax || !(seconds <= waitSecondsMax)) return answer;
    const { signal } = sent;
    await sleep(seconds * 1000, undefined, { signal }).catch(() => signal?.throwIfAborted());
    return request(method, path, sent, waits + 1);
  }

  async function requestOnce(
    method: Method,
    path: string,
    { body, condition, signal }: Sent,
  ): Promise<Answer> {
    const address = new URL(url.pathname.replace(/\/$/, '') + path, url);
    const deadline = startDeadline(timeoutMs, signal, tooLate);
    try {
      const response = await fetch(address, {
        method,
        // A redirect would carry the key to another address.
        redirect: 'manual',
        signal: deadline.signal,
        headers: {
          authorization: `Bearer ${key}`,
          accept: 'application/json',
          ...condition,
          ...(body !== undefined && { 'content-type': body.mediaType ?? 'application/json' }),
        },
        ...(body !== undefined && {
          body: body.value instanceof Uint8Array ? Buffer.from(body.value) : JSON.stringify(body.value),
        }),
      });
      const { status, headers } = response;
      return { status, headers, bytes: Buffer.from(await response.arrayBuffer()) };
    } catch (error) {
      signal?.throwIfAborted();
      throw new Error(`${url.origin} does not answer: ${reasonOf(error)}.`, { cause: error });
    } finally {
      deadline.end();
    }
  }

  return {
    name: url.origin,
    async request(method, path, body, condition) {
      const { status, headers, bytes } = await request(method, path, { body, condition });
      return { status, text: bytes.toString(), tag: headers.get('etag') ?? undefined };
    },
    download: (path, body, signal) => request('POST', path, { body, signal }),
  };
}

const tooLate = (): Error => new Error(`there was no answer for ${timeoutMs / 1000} seconds`);

/** Returns the fault below HTTP, such as ECONNREFUSED. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (cause instanceof Error && 'code' in cause) return String(cause.code);
  return cause instanceof Error && cause.message !== '' ? cause.message : error.message;
}
