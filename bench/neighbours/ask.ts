import { type Agent, request } from 'node:http';

export type Question = {
  method?: 'GET' | 'POST' | 'PATCH';
  path: string;
  key?: string | undefined;
  host?: string;
  headers?: Record<string, string>;
  /** Bytes are sent as they are, with the type of the headers; everything else as JSON. */
  body?: unknown;
};

/** `status` is 0 without an answer. `text` holds the first kilobytes of the body. */
export type Told = { status: number; ms: number; text: string };

export type Ask = (question: Question) => Promise<Told>;

const answerMsMax = 60_000;
const textBytesMax = 4_096;

/** Sends requests to the service over the connections of the agent. Never rejects, and keeps no large body in memory. */
export function createAsk(url: string, agent: Agent): Ask {
  return ({ method = 'GET', path, key, host, headers = {}, body }) => {
    const sentAt = performance.now();
    const all = {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...(host !== undefined && { host }),
    };
    return new Promise((resolve) => {
      let status = 0;
      let text = '';
      const end = (answered: boolean) =>
        resolve({ status: answered ? status : 0, ms: performance.now() - sentAt, text });
      const options = { agent, method, headers: all, signal: AbortSignal.timeout(answerMsMax) };
      const sending = request(new URL(path, url), options, (response) => {
        status = response.statusCode ?? 0;
        response.on('data', (part: Buffer) => {
          if (text.length < textBytesMax) text += part.toString('latin1', 0, textBytesMax);
        });
        response.once('error', () => end(false)).once('end', () => end(true));
      });
      sending
        .once('error', () => end(false))
        .end(body === undefined || Buffer.isBuffer(body) ? body : JSON.stringify(body));
    });
  };
}

/** Counts of what happened, by name. */
export class Tally {
  readonly counts: Record<string, number> = {};

  add(name: string | number, by = 1): void {
    this.counts[name] = (this.counts[name] ?? 0) + by;
  }
}
