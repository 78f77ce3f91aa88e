import { setTimeout as sleep } from 'node:timers/promises';
import Type, { type Static, type TSchema } from 'typebox';
import { Check, Clean } from 'typebox/value';
import { type ErrorKind, errorRegistry } from '../../contract/errors.js';
import { ServiceError } from '../../lib/service-error.js';
import { isPlainPath } from '../../lib/web-address.js';
import type { RemoteConfig } from '../../service/settings/remote-config.js';
import { UsageError } from '../core/errors.js';

/** Longer than any route takes. */
const timeoutMs = 60_000;
/** How often a request is sent again after a wait, each of at most a minute. */
const waitsMax = 5;
const waitSecondsMax = 60;
/** The most that one request of a list may ask for. */
const partMax = 200;

/**
 * An installation elsewhere, over its management API. Nothing is sent twice, because the first request may have done its
 * work, except what the installation puts off as one request too many: that it has not looked at.
 */
export type Remote = {
  url: URL;
  /**
   * Sends one request and returns what the schema makes of the answer; fields that it does not name are left out.
   *
   * @throws ServiceError with the sentence of the installation; UsageError for a name that no path can hold; Error when it does not answer as one.
   */
  send<Answer extends TSchema>(
    method: Method,
    path: string,
    request: Request<Answer>,
  ): Promise<Static<Answer>>;
  /** Reads a list to its end, or until it has `limit` items. */
  list<Item extends TSchema>(path: string, item: Item, limit?: number): Promise<Static<Item>[]>;
  /**
   * The path of a page, `/api/v1/pages/SLUG`. Without a slug it is the page of the key.
   *
   * @throws UsageError without a slug, for a key of several pages.
   */
  pathOf(slug?: string): Promise<string>;
};

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
type Request<Answer extends TSchema> = {
  answer: Answer;
  body?: unknown;
  /** JSON when absent. */
  mediaType?: string | undefined;
};

/** For answers without a body. */
export const Nothing = Type.Null();

const Me = Type.Object({ pages: Type.Array(Type.Object({ slug: Type.String() })), admin: Type.Boolean() });

/** Sends nothing yet. */
export function createRemote({ url, key }: RemoteConfig): Remote {
  async function request(
    method: Method,
    path: string,
    given: Omit<Request<TSchema>, 'answer'>,
    waits = 0,
  ): Promise<Response> {
    const response = await requestOnce(method, path, given);
    const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
    if (response.status !== 429 || waits === waitsMax || !(seconds <= waitSecondsMax)) return response;
    await response.body?.cancel();
    await sleep(seconds * 1000);
    return request(method, path, given, waits + 1);
  }

  async function requestOnce(
    method: Method,
    path: string,
    { body, mediaType = 'application/json' }: Omit<Request<TSchema>, 'answer'>,
  ): Promise<Response> {
    // It would be another route, asked with the key.
    if (!isPlainPath(path)) {
      throw new UsageError(`A name in "${path}" is empty, "." or "..", which nothing is named; correct it.`);
    }
    const address = new URL(url.pathname.replace(/\/$/, '') + path, url);
    return fetch(address, {
      method,
      // A redirect would carry the key to another address.
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
      headers: {
        authorization: `Bearer ${key}`,
        accept: 'application/json',
        ...(body !== undefined && { 'content-type': mediaType }),
      },
      ...(body !== undefined && {
        body: body instanceof Uint8Array ? Buffer.from(body) : JSON.stringify(body),
      }),
    }).catch((error: unknown) => {
      throw new Error(`${url.origin} does not answer: ${reasonOf(error)}.`, { cause: error });
    });
  }

  async function send<Answer extends TSchema>(
    method: Method,
    path: string,
    { answer, body, mediaType }: Request<Answer>,
  ): Promise<Static<Answer>> {
    const response = await request(method, path, { body, mediaType });
    const text = await response.text();
    if (!response.ok) throw refusalOf(url, response, text);
    const value = text === '' ? null : Clean(answer, parse(text));
    if (Check(answer, value)) return value;
    throw new Error(
      `${url.origin} answers ${method} ${path} in an unknown form; it may be of another version.`,
    );
  }

  async function list<Item extends TSchema>(
    path: string,
    item: Item,
    limit = Number.POSITIVE_INFINITY,
  ): Promise<Static<Item>[]> {
    const answer = Type.Object({
      items: Type.Array(item),
      nextCursor: Type.Union([Type.String(), Type.Null()]),
    });
    const items: Static<Item>[] = [];
    let cursor: string | null = null;
    do {
      const query: string[] = [`limit=${Math.min(partMax, limit - items.length)}`];
      if (cursor !== null) query.push(`cursor=${encodeURIComponent(cursor)}`);
      const part: Static<typeof answer> = await send(
        'GET',
        `${path}${path.includes('?') ? '&' : '?'}${query.join('&')}`,
        { answer },
      );
      items.push(...part.items);
      cursor = part.nextCursor;
    } while (cursor !== null && items.length < limit);
    return items;
  }

  async function pathOf(slug?: string): Promise<string> {
    if (slug !== undefined) return `/api/v1/pages/${encodeURIComponent(slug)}`;
    const { pages, admin } = await send('GET', '/api/v1/me', { answer: Me });
    const [only, ...others] = pages;
    if (admin || only === undefined || others.length > 0) {
      throw new UsageError('This key is not of one page: name the page with --page SLUG.');
    }
    return pathOf(only.slug);
  }

  return { url, send, list, pathOf };
}

/** What went wrong below HTTP, such as ECONNREFUSED. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return `there was no answer for ${timeoutMs / 1000} seconds`;
  const { cause } = error;
  if (cause instanceof Error && 'code' in cause) return String(cause.code);
  return cause instanceof Error && cause.message !== '' ? cause.message : error.message;
}

const Refusal = Type.Object({ error: Type.String(), hint: Type.Optional(Type.String()) });

/** The error of an installation as the same error here, with its sentence and its hint. */
function refusalOf(url: URL, { status }: Response, text: string): Error {
  const body = parse(text);
  if (!Check(Refusal, body)) {
    return new Error(`${url.origin} answers with the status ${status}, and not as Heartline does.`);
  }
  const kind = kinds.find((name) => errorRegistry[name].status === status) ?? 'internal';
  return new ServiceError(kind, { message: body.error, hint: body.hint });
}

/** One kind of error by status that callers tell apart; the sentence says the rest. */
const kinds: readonly ErrorKind[] = [
  ...(['invalidBody', 'invalidKey', 'notAllowed', 'notFound', 'conflict', 'preconditionFailed'] as const),
  ...(['bodyTooLarge', 'rateLimited', 'storeUnavailable'] as const),
];

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
