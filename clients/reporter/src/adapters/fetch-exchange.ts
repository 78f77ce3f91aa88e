import type { Reporter } from '../create-reporter.js';
import { unmatched } from '../templates.js';
import { type AdapterOptions, clientGone, messageOf } from './exchange.js';

/** An exchange of a runtime with `Request` and `Response`, which ends when the body has been read. */
export type FetchExchange = {
  /**
   * Counts the exchange once the body of the response ends, and returns the response to answer with. A response that the
   * client does not wait for counts as 499.
   */
  respond(response: Response, about: { template: string | undefined; error?: unknown }): Response;
  /** Counts an exchange without a response. */
  fail(status: number, about: { template: string | undefined; error?: unknown }): void;
};

type Outcome = { template: string | undefined; status: number; error?: unknown };

const watched = new WeakMap<Request, WeakSet<object>>();

/** Begins an exchange; returns `undefined` if the reporter counts this request already. */
export function beginFetchExchange(
  reporter: Pick<Reporter, 'record'>,
  request: Request,
  { messages = false }: AdapterOptions,
): FetchExchange | undefined {
  const reporters = watched.get(request) ?? new WeakSet();
  if (reporters.has(reporter)) return undefined;
  watched.set(request, reporters.add(reporter));
  const startedAt = performance.now();
  let isOver = false;
  const end = ({ template = unmatched, status, error }: Outcome): void => {
    if (isOver) return;
    isOver = true;
    reporter.record({
      ...{ endpoint: template, method: request.method },
      ...{ status: request.signal?.aborted ? clientGone : status, ms: performance.now() - startedAt },
      message: messages ? messageOf(error) : undefined,
    });
  };
  return {
    respond(response, about) {
      const { status, body } = response;
      // A server reads no body in answer to HEAD.
      if (body === null || request.method === 'HEAD' || response.bodyUsed || status < 200) {
        end({ ...about, status });
        return response;
      }
      return new Response(
        followBody(body, (failure) => end({ ...about, status, ...failure })),
        response,
      );
    },
    fail: (status, about) => end({ ...about, status }),
  };
}

/**
 * Parts that are read ahead. The text of a usual response is one part: with two, it has been read to its end at once, also
 * when nobody reads it.
 */
const partsAhead = 2;

function followBody(
  body: ReadableStream<Uint8Array>,
  onEnd: (failure: { status?: number; error?: unknown }) => void,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (!done) return controller.enqueue(value);
          onEnd({});
          controller.close();
        } catch (error) {
          onEnd({ status: 500, error });
          controller.error(error);
        }
      },
      cancel(reason) {
        onEnd({ status: clientGone });
        return reader.cancel(reason);
      },
    },
    { highWaterMark: partsAhead },
  );
}
