import type { Context } from 'koa';
import type { ReadyAnswer } from '../route.js';

/** Answers a request of the application with what is ready. */
export function sendAnswer(ctx: Context, { status, headers, body }: ReadyAnswer): void {
  ctx.status = status;
  for (let i = 0; i < headers.length; i += 2) ctx.set(headers[i] ?? '', headers[i + 1] ?? '');
  if (body !== undefined) ctx.body = body;
}
