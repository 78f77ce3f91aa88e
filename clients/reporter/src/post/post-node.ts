import { type ClientRequest, Agent as HttpAgent, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { gzipSync } from 'node:zlib';
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

/**
 * Compresses 500 events in 0.1 ms to a fourteenth, which is less than handing them to a thread and back would take. The
 * usual level 6 takes twice as long for a tenth less.
 */
const level = 3;
/** The service closes an idle connection after 30 s; a request on a connection that closes would be lost. */
const idleMsMax = 15_000;

/** Sends over one connection that does not keep the process alive. */
export function createPost({ url, key }: Target): Post {
  const isSecure = url.protocol === 'https:';
  const options = { keepAlive: true, maxSockets: 1, timeout: idleMsMax };
  const agent = isSecure ? new HttpsAgent(options) : new HttpAgent(options);
  const open = isSecure ? requestHttps : requestHttp;

  function send(body: string, timeoutMs: number): Attempt {
    let request: ClientRequest | undefined;
    let isAborted = false;
    let mayBeStored = false;

    async function exchange(): Promise<Answer> {
      const isLarge = Buffer.byteLength(body) >= gzipBytesMin;
      const bytes = isLarge ? gzipSync(body, { level }) : Buffer.from(body);
      if (isAborted) throw new Error('given up');
      return new Promise((resolve, reject) => {
        const headers = {
          ...headersOf(key, isLarge ? 'gzip' : undefined),
          'content-length': bytes.length,
        };
        request = open(url, { method: 'POST', agent, headers }, (response) => {
          let text = '';
          response.setEncoding('utf8');
          response.on('data', (part: string) => {
            if (text.length < answerBytesMax) text += part;
          });
          response.on('error', reject);
          response.on('end', () =>
            resolve({
              ...{ status: response.statusCode ?? 0, retryAfter: response.headers['retry-after'], text },
            }),
          );
        });
        request.on('error', reject);
        request.on('close', () => reject(new Error('the connection was closed')));
        request.on('socket', (socket) => {
          socket.unref();
          const note = (): void => {
            mayBeStored = true;
          };
          if (socket.connecting) socket.once(isSecure ? 'secureConnect' : 'connect', note);
          else note();
        });
        request.end(bytes);
      });
    }

    const abort = (reason: string): void => {
      isAborted = true;
      request?.destroy(new Error(reason));
    };
    const timer = setTimeout(() => abort(`no answer in ${timeoutMs} ms`), timeoutMs);
    timer.unref();
    const fail = (error: unknown): Failure => ({ problem: describe(error), mayBeStored });
    return {
      outcome: exchange()
        .catch(fail)
        .finally(() => clearTimeout(timer)),
      abort: () => abort('given up'),
    };
  }

  return { send, close: () => agent.destroy() };
}

/** Errors of several addresses have no message of their own. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.message || (error as NodeJS.ErrnoException).code || error.name;
}
