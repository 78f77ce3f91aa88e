import { hash } from 'node:crypto';
import type { Context } from 'koa';
import { ServiceError } from '../../lib/service-error.js';

/**
 * The representation of one resource. `volatile` names fields that change by themselves, such as the time of the last
 * check: they are no reason to refuse a change that was made from an older representation.
 */
export type Representation = { body: object; volatile?: readonly string[] };

/**
 * Answers with the representation of one resource and its entity tag, or with 304 when the caller has it. The tag has
 * two parts: a hash of what a change can touch, and a hash of everything.
 */
export function answerResource(ctx: Context, representation: Representation, status: 200 | 201 = 200): void {
  const tag = `"${stableHash(representation)}-${hashOf(representation.body)}"`;
  ctx.set('etag', tag);
  ctx.set('cache-control', 'private, no-cache');
  if (ctx.method === 'GET' && tagsOf(ctx.get('if-none-match')).includes(tag)) {
    ctx.status = 304;
    return;
  }
  ctx.status = status;
  ctx.body = representation.body;
}

/**
 * Returns a check for verbs, which call it in their transaction with what is stored: it refuses the change when the
 * caller's If-Match names another state. Without the header, or with `*`, it accepts everything that exists.
 *
 * @throws ServiceError (the check) `preconditionFailed`
 */
export function preconditionOf<T>(
  ctx: Context,
  represent: (current: T) => Representation,
): (current: T) => void {
  const header = ctx.get('if-match');
  if (header === '' || header.trim() === '*') return () => {};
  const wanted = tagsOf(header).map((tag) => tag.slice(1).replace(/-.*/, ''));
  return (current) => {
    if (!wanted.includes(stableHash(represent(current)))) throw new ServiceError('preconditionFailed');
  };
}

/**
 * As preconditionOf(), for a PUT of something that may not exist: If-Match then refuses to create it, and
 * `If-None-Match: *` refuses to replace it.
 *
 * @throws ServiceError (the check) `preconditionFailed`
 */
export function putPreconditionOf<T>(
  ctx: Context,
  represent: (current: T) => Representation,
): (current: T | undefined) => void {
  const check = preconditionOf(ctx, represent);
  return (current) => {
    if (current === undefined) {
      if (ctx.get('if-match') !== '') throw new ServiceError('preconditionFailed');
      return;
    }
    if (ctx.get('if-none-match') === '*') throw new ServiceError('preconditionFailed');
    check(current);
  };
}

/**
 * Answers 201 with the path of what was created and with its representation, whose entity tag a GET and If-Match know.
 *
 * @param secrets fields that only this answer has, such as a key; they are no part of the tag.
 */
export function answerCreated(
  ctx: Context,
  location: string,
  representation: Representation,
  secrets?: object,
): void {
  answerResource(ctx, representation, 201);
  ctx.set('location', location);
  if (secrets === undefined) return;
  ctx.set('cache-control', 'no-store');
  ctx.body = { ...representation.body, ...secrets };
}

/** Answers a PUT: as answerCreated() for something new, else with the representation. */
export function answerPut(
  ctx: Context,
  isNew: boolean,
  ...[location, representation, secrets]: [string, Representation, object?]
): void {
  if (isNew) answerCreated(ctx, location, representation, secrets);
  else answerResource(ctx, representation);
}

/** Answers 204. */
export function answerDone(ctx: Context): void {
  ctx.status = 204;
  ctx.body = null;
}

function stableHash({ body, volatile = [] }: Representation): string {
  const stable = Object.entries(body).filter(([name]) => !volatile.includes(name));
  return hashOf(Object.fromEntries(stable));
}

/** 96 bits of the SHA-256 tell any two states of one thing apart. */
function hashOf(body: object): string {
  return hash('sha256', JSON.stringify(body), 'base64url').slice(0, 16).replaceAll('-', '.');
}

/**
 * Returns the entity tags of an If-Match or If-None-Match, without the mark of weak ones. `cache-control: no-cache` changes
 * nothing, because browsers send it with every If-None-Match of a script.
 */
export function tagsOf(header: string): string[] {
  // A proxy that compresses answers makes their tags weak.
  return header.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
}
