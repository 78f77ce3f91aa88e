import { type Agent, request } from 'node:http';

export type Answered = { status: number; accepted: number; seconds: number };

const answerTimeoutMs = 180_000;

/** Sends one batch and resolves with the answer. Rejects without an answer within three minutes. */
export function postBatch(
  agent: Agent,
  { port, key }: { port: number; key: string },
  body: string,
): Promise<Answered> {
  const sentAt = performance.now();
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const signal = AbortSignal.timeout(answerTimeoutMs);
  const options = { agent, port, headers, signal, host: '127.0.0.1', method: 'POST', path: '/api/v1/events' };
  return new Promise((resolve, reject) => {
    const sending = request(options, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      response.once('error', reject).once('end', () => {
        const status = response.statusCode ?? 0;
        const accepted = status === 202 ? (JSON.parse(text) as { accepted: number }).accepted : 0;
        resolve({ status, accepted, seconds: (performance.now() - sentAt) / 1000 });
      });
    });
    sending.once('error', reject).end(body);
  });
}
