import { setTimeout as sleep } from 'node:timers/promises';
import type { RemoteConfig } from '../../service/settings/remote-config.js';
import type { Body, Condition, Method, Transport } from './client.js';

/** Longer than any route takes. */
const timeoutMs = 60_000;
/** How often a request is sent again after a wait, each of at most a minute. */
const waitsMax = 5;
const waitSecondsMax = 60;

type Sent = { body?: Body | undefined; condition?: Condition | undefined };

/**
 * Asks an installation elsewhere. Nothing is sent twice, because the first request may have done its work, except what the
 * installation puts off as one request too many: that it has not looked at.
 */
export function overHttp({ url, key }: RemoteConfig): Transport {
  async function request(
    method: Method,
    path: string,
    { body, condition }: Sent,
    waits = 0,
  ): Promise<Response> {
    const response = await requestOnce(method, path, { body, condition });
    const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
    if (response.status !== 429 || waits === waitsMax || !(seconds <= waitSecondsMax)) return response;
    await response.body?.cancel();
    await sleep(seconds * 1000);
    return request(method, path, { body, condition }, waits + 1);
  }

  async function requestOnce(method: Method, path: string, { body, condition }: Sent): Promise<Response> {
    const address = new URL(url.pathname.replace(/\/$/, '') + path, url);
    return fetch(address, {
      method,
      // A redirect would carry the key to another address.
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
      headers: {
        authorization: `Bearer ${key}`,
        accept: 'application/json',
        ...condition,
        ...(body !== undefined && { 'content-type': body.mediaType ?? 'application/json' }),
      },
      ...(body !== undefined && {
        body: body.value instanceof Uint8Array ? Buffer.from(body.value) : JSON.stringify(body.value),
      }),
    }).catch((error: unknown) => {
      throw new Error(`${url.origin} does not answer: ${reasonOf(error)}.`, { cause: error });
    });
  }

  return {
    name: url.origin,
    async request(method, path, body, condition) {
      const response = await request(method, path, { body, condition });
      const tag = response.headers.get('etag') ?? undefined;
      return { status: response.status, text: await response.text(), tag };
    },
    async download(path, body) {
      const response = await request('POST', path, { body });
      return { status: response.status, bytes: Buffer.from(await response.arrayBuffer()) };
    },
  };
}

/** Returns the fault below HTTP, such as ECONNREFUSED. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return `there was no answer for ${timeoutMs / 1000} seconds`;
  const { cause } = error;
  if (cause instanceof Error && 'code' in cause) return String(cause.code);
  return cause instanceof Error && cause.message !== '' ? cause.message : error.message;
}
