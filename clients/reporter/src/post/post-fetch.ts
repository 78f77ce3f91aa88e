import {
  type Answer,
  type Attempt,
  answerBytesMax,
  type Failure,
  gzipBytesMin,
  headersOf,
  type Post,
  type Target,
} from './outcome.js';

/** Sends with `fetch`, where there is no other way. Nobody learns then whether a request that failed has arrived. */
export function createPost({ url, key }: Target): Post {
  function send(body: string, timeoutMs: number): Attempt {
    const aborting = new AbortController();
    const timer = setTimeout(() => aborting.abort(new Error(`no answer in ${timeoutMs} ms`)), timeoutMs);

    async function exchange(): Promise<Answer> {
      const isLarge = body.length >= gzipBytesMin && typeof CompressionStream === 'function';
      const bytes = isLarge ? await compress(body) : body;
      const response = await fetch(url, {
        method: 'POST',
        headers: headersOf(key, isLarge ? 'gzip' : undefined),
        body: bytes,
        // A key must not follow a redirect to another host.
        redirect: 'manual',
        signal: aborting.signal,
      });
      const text = (await response.text()).slice(0, answerBytesMax);
      return { status: response.status, retryAfter: response.headers.get('retry-after') ?? undefined, text };
    }

    const fail = (error: unknown): Failure => ({
      problem: error instanceof Error ? error.message : String(error),
      mayBeStored: true,
    });
    return {
      outcome: exchange()
        .catch(fail)
        .finally(() => clearTimeout(timer)),
      abort: () => aborting.abort(new Error('given up')),
    };
  }

  return { send, close() {} };
}

async function compress(body: string): Promise<ArrayBuffer> {
  const stream = new Blob([body]).stream().pipeThrough(new CompressionStream('gzip'));
  return new Response(stream).arrayBuffer();
}
