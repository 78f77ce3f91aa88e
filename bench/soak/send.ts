import { Agent, request } from 'node:http';

export type Answer = { status: number; text: string; seconds: number };

export type Sending = {
  method: 'GET' | 'POST' | 'PATCH';
  path: string;
  key?: string;
  /** Value of the Host header. */
  host?: string;
  body?: unknown;
};

/** Resolves with `undefined` without an answer. Never rejects: a failure is an outcome, too. */
export type Send = (sending: Sending) => Promise<Answer | undefined>;

const answerMsMax = 60_000;

/** Sends requests to the service at this URL over persistent connections. */
export function createSender(url: string): { send: Send; close(): void } {
  const agent = new Agent({ keepAlive: true });
  const send: Send = ({ method, path, key, host, body }) => {
    const sentAt = performance.now();
    const headers = {
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...(host !== undefined && { host }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    };
    const options = { agent, method, headers, signal: AbortSignal.timeout(answerMsMax) };
    return new Promise((resolve) => {
      const fail = () => resolve(undefined);
      const sending = request(new URL(path, url), options, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => {
          text += part;
        });
        response.once('error', fail).once('end', () => {
          resolve({ status: response.statusCode ?? 0, text, seconds: (performance.now() - sentAt) / 1000 });
        });
      });
      sending.once('error', fail).end(body === undefined ? undefined : JSON.stringify(body));
    });
  };
  return { send, close: () => agent.destroy() };
}
