import Type, { type Static, type TSchema } from 'typebox';
import { Check, Clean } from 'typebox/value';
import { type ErrorKind, errorRegistry, kindOfCode } from '../../contract/errors.js';
import { ServiceError } from '../../lib/service-error.js';
import { isPlainPath } from '../../lib/web-address.js';
import { UsageError } from '../core/errors.js';

/** The most that one request of a list may ask for. */
const partMax = 200;

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** A body is JSON unless it has another media type, which bytes have. */
export type Body = { value: unknown; mediaType?: string | undefined };

/** A header without which a change could undo one that somebody else has made meanwhile. */
export type Condition = { 'if-match': string } | { 'if-none-match': '*' };

/** Takes a request to the routes of the management API and brings their answer. */
export type Transport = {
  /** How errors name what answers, such as `https://status.example.com`. */
  name: string;
  request(
    method: Method,
    path: string,
    body?: Body,
    condition?: Condition,
  ): Promise<{ status: number; text: string; tag?: string | undefined }>;
  /**
   * The same for an answer of bytes. Absent where the routes are in this process, which gives them only with texts.
   *
   * @throws the reason of `signal` when it is aborted
   */
  download?(path: string, body: Body, signal: AbortSignal): Promise<{ status: number; bytes: Buffer }>;
  /**
   * Returns the path of the thing with the id, on whichever page. Absent where only the routes of one page can be asked.
   *
   * @throws ServiceError `notFound`
   */
  locate?(noun: Noun, id: string): Promise<string>;
};

/** Nouns with an id of their own below a page, and the list that each is in. */
const listOfNoun = {
  ...{ webhook: 'webhooks', channel: 'channels', key: 'keys', connection: 'connections' },
  ...{ monitor: 'monitors', incident: 'incidents', email: 'emails', delivery: 'deliveries' },
  ...{ deployment: 'deployments', alert: 'alerts', silence: 'silences' },
} as const;
export type Noun = keyof typeof listOfNoun;

/** Names one thing of a page by its id. `page` is a slug. */
export type Ref = { id: string; page?: string | undefined };

/** Asks the management API: of the stores here, in this process, or of an installation elsewhere over HTTP. */
export type Client = {
  /**
   * Sends one request and returns the fields of the answer that the schema names.
   *
   * @throws ServiceError with the sentence of the installation; UsageError for a name that no path can hold; Error when the answer has another form.
   */
  send<Answer extends TSchema>(
    method: Method,
    path: string,
    request: { answer: Answer; body?: unknown; mediaType?: string; condition?: Condition },
  ): Promise<Static<Answer>>;
  /** Gets a resource with its entity tag, for the condition of a change that is made from it. */
  read<Answer extends TSchema>(
    path: string,
    answer: Answer,
  ): Promise<{ value: Static<Answer>; tag: string | undefined }>;
  /**
   * Posts a body and returns the bytes of the answer, over HTTP alone.
   *
   * @throws ServiceError with the sentence of the installation; the reason of `signal` when it is aborted
   */
  download(path: string, body: unknown, signal: AbortSignal): Promise<Buffer>;
  /** Reads a list to its end, or until it has `limit` items. */
  list<Item extends TSchema>(path: string, item: Item, limit?: number): Promise<Static<Item>[]>;
  /**
   * The path of a page, `/api/v1/pages/SLUG`. Without a slug it is the page of the key.
   *
   * @throws UsageError without a slug, for a key of several pages.
   */
  pathOf(slug?: string): Promise<string>;
  /**
   * The path of a thing of a page. Without a page it is looked up on the stores; over HTTP it is one of the page of the key.
   *
   * @throws ServiceError `notFound`; UsageError as `pathOf`
   */
  pathTo(noun: Noun, ref: Ref): Promise<string>;
};

/** The schema of an answer without a body. */
export const Nothing = Type.Null();

const Me = Type.Object({ pages: Type.Array(Type.Object({ slug: Type.String() })), admin: Type.Boolean() });

/** Sends nothing yet. */
export function createClient(transport: Transport): Client {
  async function ask<Answer extends TSchema>(
    method: Method,
    path: string,
    { answer, body, mediaType, condition }: Parameters<typeof send<Answer>>[2],
  ): Promise<{ value: Static<Answer>; tag: string | undefined }> {
    // It would be another route, asked with the rights of the caller.
    if (!isPlainPath(path)) {
      throw new UsageError(`A name in "${path}" is empty, "." or "..", which nothing is named; correct it.`);
    }
    const given = body === undefined ? undefined : { value: body, mediaType };
    const { status, text, tag } = await transport.request(method, path, given, condition);
    if (status >= 300) throw refusalOf(transport.name, status, text);
    const value = text === '' ? null : Clean(answer, parse(text));
    if (Check(answer, value)) return { value, tag };
    throw new Error(
      `${transport.name} answers ${method} ${path} in an unknown form; it may be of another version.`,
    );
  }

  const send: Client['send'] = async (method, path, request) => (await ask(method, path, request)).value;
  const read: Client['read'] = (path, answer) => ask('GET', path, { answer });

  const download: Client['download'] = async (path, body, signal) => {
    if (transport.download === undefined) throw new Error(`${transport.name} answers with texts alone.`);
    const { status, bytes } = await transport.download(path, { value: body }, signal);
    if (status >= 300) throw refusalOf(transport.name, status, bytes.toString());
    return bytes;
  };

  const list: Client['list'] = async (path, item, limit = Number.POSITIVE_INFINITY) => {
    if (limit === 0) return [];
    const answer = Type.Object({
      items: Type.Array(item),
      nextCursor: Type.Union([Type.String(), Type.Null()]),
    });
    const items: Static<typeof item>[] = [];
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
  };

  async function pathOf(slug?: string): Promise<string> {
    if (slug !== undefined) return `/api/v1/pages/${encodeURIComponent(slug)}`;
    const { pages, admin } = await send('GET', '/api/v1/me', { answer: Me });
    const [only, ...others] = pages;
    if (admin || only === undefined || others.length > 0) {
      throw new UsageError('This key is not of one page: name the page with --page SLUG.');
    }
    return pathOf(only.slug);
  }

  async function pathTo(noun: Noun, { id, page }: Ref): Promise<string> {
    if (page === undefined && transport.locate !== undefined) return transport.locate(noun, id);
    return `${await pathOf(page)}/${listOfNoun[noun]}/${encodeURIComponent(id)}`;
  }

  return { send, read, download, list, pathOf, pathTo };
}

/** Installations of earlier versions send no code. */
const Refusal = Type.Object({
  error: Type.String(),
  code: Type.Optional(Type.String()),
  hint: Type.Optional(Type.String()),
  field: Type.Optional(Type.String()),
});

/** The error of an installation as the same error here, with its sentence and its hint. */
function refusalOf(name: string, status: number, text: string): Error {
  const body = parse(text);
  if (!Check(Refusal, body)) {
    return new Error(`${name} answers with the status ${status}, and not as Heartline does.`);
  }
  const { error: message, code, hint, field } = body;
  const kind = (code === undefined ? undefined : kindOfCode(code)) ?? kindOfStatus(status);
  return new ServiceError(kind, { message, hint, field });
}

/** The kinds that commands tell apart, for a refusal without a code or with one of a later version. */
const kindsByStatus: readonly ErrorKind[] = [
  ...(['invalidBody', 'invalidKey', 'notAllowed', 'notFound', 'conflict', 'preconditionFailed'] as const),
  ...(['bodyTooLarge', 'rateLimited', 'storeUnavailable'] as const),
];

function kindOfStatus(status: number): ErrorKind {
  return kindsByStatus.find((kind) => errorRegistry[kind].status === status) ?? 'internal';
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
