import type { Context } from 'koa';
import { chooseAnswer } from './negotiation.js';
import { sendAnswer } from './public-reads.js';
import { type AnswerKind, makeRepresentation, type Representation } from './representation.js';

/**
 * Returns the answer to requests for a text that stays the same while the process runs. The first request makes it, in
 * every encoding; the others cost no more than its bytes.
 */
export function createFixedAnswer(
  makeText: () => string | Promise<string>,
  kind: AnswerKind,
  effort: 'quick' | 'best' = 'quick',
): (ctx: Context) => Promise<void> {
  let made: Promise<Representation> | undefined;
  const make = async () => makeRepresentation(await makeText(), kind, effort);
  return async (ctx) => {
    // A text that could not be made is tried again with the next request.
    made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    sendAnswer(ctx, chooseAnswer(ctx.req.headers, await made));
  };
}
