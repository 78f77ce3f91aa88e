import type { Reporter } from '../create-reporter.js';
import { unmatched } from '../templates.js';
import { ask, clientGone, isFirstWatch, messageOf } from './exchange.js';

/** An exchange of a runtime with `Request` and `Response`. */
export type FetchExchange = {
  /** Counts the exchange once the body of the response has ended. Returns the response to answer with. */
  respond(response: Response): Response;
  /** Counts an exchange that has an error instead of a response. */
  fail(status: number): void;
};

/**
 * Begins an exchange, which counts as 499 if the client goes before its end. Returns `undefined` if the reporter counts
 * this request already. `about` is asked at the end.
 */
export function beginFetchExchange(
  reporter: Pick<Reporter, 'record'>,
  request: Request,
  about: { template(): string | undefined; error?(): unknown },
): FetchExchange | undefined {
  if (!isFirstWatch(request, reporter)) return undefined;
  const startedAt = performance.now();
  const { signal } = request;
  let isOver = false;
  const end = (status: number): void => {
    if (isOver) return;
    isOver = true;
    signal?.removeEventListener('abort', leave);
    reporter.record({
      ...{ endpoint: ask(about.template) ?? unmatched, method: request.method },
      ...{ status: signal?.aborted ? clientGone : status, ms: performance.now() - startedAt },
      message: messageOf(about.error && ask(about.error)),
    });
  };
  const leave = (): void => end(clientGone);
  signal?.addEventListener('abort', leave);
  return {
    respond(response) {
      const { status, body } = response;
      // A server reads no body in answer to HEAD.
      if (body !== null && request.method !== 'HEAD' && !response.bodyUsed && status >= 200)
        return new Response(
          followBody(body, (failure = status) => end(failure)),
          response,
        );
      end(status);
      return response;
    },
    fail: end,
  };
}

/**
 * Parts that are read ahead. The text of a usual response is one part: with two, it has been read to its end at once, also
 * when nobody reads it.
 */
const partsAhead = 2;

function followBody(
  body: ReadableStream<Uint8Array>,
  onEnd: (failure?: number) => void,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (!done) return controller.enqueue(value);
          onEnd();
          controller.close();
        } catch (error) {
          onEnd(500);
          controller.error(error);
        }
      },
      cancel(reason) {
        onEnd(clientGone);
        return reader.cancel(reason);
      },
    },
    { highWaterMark: partsAhead },
  );
}
