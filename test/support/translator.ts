import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Test } from 'tap';
import { serveUntilEnd } from './listen.js';

export type TranslateRequest = {
  path: string;
  q: string[];
  source: string;
  target: string;
  format: string;
  api_key?: string;
};

export type TestTranslator = {
  url: string;
  /** The requests, in the order of their arrival. */
  requests: TranslateRequest[];
  /** Sets the answer of further requests. The usual answer is each text behind its language, `[de] text`. */
  answer(how: Answering): void;
};

/** Returns a status with a body, or `undefined` for the usual answer. */
export type Answering = (request: TranslateRequest) => Promise<Answered | undefined> | Answered | undefined;
export type Answered = { status: number; body: unknown; headers?: Record<string, string> };

/** Starts an HTTP server that answers as LibreTranslate does, until the test ends. */
export async function startTranslator(t: Test): Promise<TestTranslator> {
  const requests: TranslateRequest[] = [];
  let answering: Answering = () => undefined;

  async function handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk);
    const request: TranslateRequest = {
      ...JSON.parse(Buffer.concat(chunks).toString('utf8')),
      path: req.url,
    };
    requests.push(request);
    const { status, body, headers } = (await answering(request)) ?? usual(request);
    res.writeHead(status, { 'content-type': 'application/json', ...headers });
    res.end(typeof body === 'string' ? body : JSON.stringify(body));
  }

  const server = createServer((req, res) => void handle(req, res));
  return {
    url: await serveUntilEnd(t, server),
    requests,
    answer(how) {
      answering = how;
    },
  };
}

function usual({ q, target }: TranslateRequest): Answered {
  return { status: 200, body: { translatedText: q.map((text) => `[${target}] ${text}`) } };
}
