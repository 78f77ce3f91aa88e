import { Readable } from 'node:stream';
import type { Context, Middleware } from 'koa';
import { type BodyLimits, readBody } from './read-body.js';

/** Fields of an HTML form by name: a text, or an array of texts for a field that was sent several times. */
export type Form = Readonly<Record<string, unknown>>;

const mediaType = 'application/x-www-form-urlencoded';

let parser: Promise<Middleware> | undefined;

/** koa-body takes 0.2 s to load, as long as the rest of the routes: a command, which sends no form, does without it. */
function loadParser(): Promise<Middleware> {
  parser ??= import('koa-body').then(({ koaBody }) =>
    koaBody({
      ...{ json: false, text: false, urlencodedTypes: [mediaType] },
      // `readBody` holds the limit of the route.
      formLimit: Number.MAX_SAFE_INTEGER,
      // Dots and brackets in a name are part of the name.
      queryString: { allowDots: false, depth: 0, parseArrays: false, plainObjects: true },
    }),
  );
  return parser;
}

/**
 * Reads a form with koa-body. koa-body bounds neither the time a body takes to arrive nor the bytes that all bodies
 * take together, so `readBody` receives the form within the limits of every route, and koa-body parses it. The media
 * type of the request does not matter: browsers send no other from a form without files.
 *
 * @throws ServiceError as `readBody`
 */
export async function readForm(ctx: Context, limits: BodyLimits): Promise<Form> {
  const received = contextOf(ctx, await readBody(ctx, limits));
  const parse = await loadParser();
  await parse(received, async () => {});
  const { body } = received.request;
  return isForm(body) ? body : {};
}

function isForm(body: unknown): body is Form {
  return typeof body === 'object' && body !== null && !Array.isArray(body);
}

/** The same request, as if these bytes were its body and nothing had read them yet. */
function contextOf(ctx: Context, bytes: Buffer): Context {
  const headers = { 'content-type': mediaType, 'content-length': String(bytes.length) };
  const req = { value: Object.assign(Readable.from([bytes]), { method: ctx.method, headers }) };
  return Object.create(ctx, { req, request: { value: Object.create(ctx.request, { req }) } });
}
