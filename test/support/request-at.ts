import { type Agent, request } from 'node:http';
import type { Answer } from './service.js';

export type RequestOptions = {
  method?: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
  /** Holds the connections; one for each request when absent. */
  agent?: Agent;
};

/** Sends a request with a given Host header, which fetch() does not allow. */
export function requestAt(
  serviceUrl: string,
  host: string,
  path: string,
  { method = 'GET', headers = {}, body, agent }: RequestOptions = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const options = { method, headers: { ...headers, host }, ...(agent !== undefined && { agent }) };
    const req = request(new URL(path, serviceUrl), options, (res) => {
      const chunks: Buffer[] = [];
      res.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', reject);
      res.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        const isEncoded = res.headers['content-encoding'] !== undefined;
        const isJson = !isEncoded && (res.headers['content-type'] ?? '').startsWith('application/json');
        const pairs = Object.entries(res.headers).map(
          ([name, value]) => [name, String(value)] as [string, string],
        );
        const answer = isJson && text !== '' ? JSON.parse(text) : text;
        resolve({ status: res.statusCode ?? 0, headers: new Headers(pairs), body: answer });
      });
    });
    req.on('error', reject).end(body);
  });
}
