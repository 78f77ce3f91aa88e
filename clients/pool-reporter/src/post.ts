import { type ClientRequest, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';

/** How an attempt ended: `taken`, or a description of the failure. */
export type Outcome =
  | { taken: true }
  | { taken: false; problem: string; mayRetry: boolean; retryAfterMs?: number | undefined };

export type Attempt = {
  /** Never rejects. */
  outcome: Promise<Outcome>;
  /** Keeps the process alive until the attempt has ended. */
  hold(): void;
  abort(): void;
};

const errorTextChars = 500;

/**
 * Makes one attempt to send a body. Does not keep the process alive, except for looking up the address and connecting,
 * which the event loop counts in any case; the timeout ends both.
 */
export function post(url: URL, key: string, body: string, timeoutMs: number): Attempt {
  let request: ClientRequest | undefined;
  let held = false;
  const timer = setTimeout(() => request?.destroy(new Error(`no answer in ${timeoutMs} ms`)), timeoutMs);
  timer.unref();
  const outcome = new Promise<Outcome>((resolve) => {
    const fail = (error: Error): void =>
      resolve({ taken: false, problem: error.message || error.name, mayRetry: true });
    const send = url.protocol === 'https:' ? requestHttps : requestHttp;
    // One report a minute does not justify a persistent connection.
    const options = { method: 'POST', agent: false, headers: headersOf(key, body) } as const;
    request = send(url, options, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (part: string) => {
        text = (text + part).slice(0, errorTextChars);
      });
      response.on('error', fail);
      response.on('end', () => {
        resolve(judge(response.statusCode ?? 0, response.headers['retry-after'], text));
      });
    });
    request.on('error', fail);
    request.on('close', () => fail(new Error('the connection was closed')));
    request.on('socket', (socket) => {
      if (!held) socket.unref();
    });
    request.end(body);
  })
    // The key or URL makes an invalid request; the message does not repeat them.
    .catch((error): Outcome => ({ taken: false, problem: String(error), mayRetry: false }))
    .finally(() => clearTimeout(timer));
  return {
    outcome,
    hold() {
      held = true;
      timer.ref();
      request?.socket?.ref();
    },
    abort: () => request?.destroy(new Error('given up')),
  };
}

function headersOf(key: string, body: string): Record<string, string | number> {
  return {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  };
}

/** Statuses for which a later attempt with the same body may succeed. */
function judge(status: number, retryAfter: string | undefined, text: string): Outcome {
  if (status >= 200 && status < 300) return { taken: true };
  const isBusy = status === 429 || status === 503;
  return {
    taken: false,
    problem: `HTTP ${status} ${text}`.trimEnd(),
    mayRetry: status === 408 || status === 429 || status >= 500,
    retryAfterMs: isBusy ? readRetryAfter(retryAfter) : undefined,
  };
}

/** RFC 9110, 10.2.3: seconds or a date. */
function readRetryAfter(value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  const waitMs = /^\d{1,9}$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return waitMs > 0 ? waitMs : undefined;
}
