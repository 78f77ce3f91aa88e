import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { gunzipSync } from 'node:zlib';
import type { Test } from 'tap';
import { listen } from './listen.js';
import { selfSigned } from './self-signed.js';

/** A request that has arrived, with its body inflated. */
export type Received = { path: string; headers: Record<string, string>; body: string };

/** `hang` never answers; `cut` closes the connection instead. */
export type Reply = { status: number; headers?: Record<string, string>; body?: string } | 'hang' | 'cut';

export type Receiver = {
  url: string;
  /** The requests, in the order of their arrival. */
  received: Received[];
  /** Returns the answer to a request; 204 until a test replaces it. */
  answer(request: Received): Reply | Promise<Reply>;
};

/** Starts a server for requests of the service, until the test ends. With `tls`, its certificate is self-signed. */
export async function startReceiver(t: Test, { tls = false } = {}): Promise<Receiver> {
  const receiver: Receiver = { url: '', received: [], answer: () => ({ status: 204 }) };
  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    void receive(receiver, request, response);
  };
  const server = tls ? createTlsServer(selfSigned, onRequest) : createServer(onRequest);
  const port = await listen(server);
  t.teardown(() => {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    return closed;
  });
  receiver.url = `${tls ? 'https' : 'http'}://127.0.0.1:${port}`;
  return receiver;
}

async function receive(
  receiver: Receiver,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const bytes = Buffer.concat(parts);
  const body = (request.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes).toString();
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(request.headers)) headers[name] = String(value);
  const arrived = { path: request.url ?? '', headers, body };
  receiver.received.push(arrived);
  const reply = await receiver.answer(arrived);
  if (reply === 'cut') request.socket.destroy();
  else if (reply !== 'hang') response.writeHead(reply.status, reply.headers).end(reply.body);
}
