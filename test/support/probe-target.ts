import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { createServer as createTcpServer, type Server, type Socket } from 'node:net';
import type { Test } from 'tap';
import { listen } from './listen.js';
import { selfSigned } from './self-signed.js';

export type ProbeTarget = {
  /** The address, without a path. */
  url: string;
  port: number;
  /** The requests, in the order of their arrival. */
  received: { method: string; path: string; headers: IncomingMessage['headers']; body: string }[];
};

type Answer = (response: ServerResponse, request: IncomingMessage) => void;

/** The answer to each path; any other path gets 404. */
const answers: Record<string, Answer> = {
  '/ok': (response) => response.end('all is well'),
  '/503': (response) => response.writeHead(503).end('out of order'),
  '/slow': () => {},
  '/late': (response) => setTimeout(() => response.end('at last'), 60),
  '/drop': (_, request) => request.socket.destroy(),
  '/cut': (response, request) => {
    response.writeHead(200, { 'content-length': 1_000 }).write('only this');
    setTimeout(() => request.socket.destroy(), 20);
  },
  '/loop': (response) => response.writeHead(302, { location: '/loop' }).end(),
  '/see-other': (response) => response.writeHead(303, { location: '/ok' }).end(),
  '/temporary': (response) => response.writeHead(307, { location: '/ok' }).end(),
  '/mail': (response) => response.writeHead(302, { location: 'mailto:someone@example.com' }).end(),
  '/endless': (response) => {
    const part = 'needle '.repeat(1_000);
    const timer = setInterval(() => response.write(part), 1);
    response.on('close', () => clearInterval(timer));
  },
  '/chunked': (response) => {
    response.write('all is ');
    setTimeout(() => response.end('well'), 20);
  },
};

/** Starts a server on 127.0.0.1 until the test ends. The path chooses the behaviour; `/to?URL` redirects to URL. */
export async function startProbeTarget(t: Test, { tls = false } = {}): Promise<ProbeTarget> {
  const target: ProbeTarget = { url: '', port: 0, received: [] };
  const onRequest = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = '', url = '', headers } = request;
    const [path = '', query = ''] = url.split('?', 2);
    let body = '';
    for await (const part of request.setEncoding('utf8')) body += part;
    target.received.push({ method, path, headers, body });
    if (path === '/to') response.writeHead(307, { location: decodeURIComponent(query) }).end();
    else (answers[path] ?? (() => response.writeHead(404).end()))(response, request);
  };
  const server = tls ? createTlsServer(selfSigned, onRequest) : createServer(onRequest);
  target.port = await listenUntilEnd(t, server);
  target.url = `${tls ? 'https' : 'http'}://127.0.0.1:${target.port}`;
  return target;
}

/** Starts a TCP server that sends each client this text and then closes; returns its port. */
export async function startRawTarget(t: Test, text: string): Promise<number> {
  return listenUntilEnd(
    t,
    createTcpServer((socket) => socket.on('error', () => {}).once('data', () => socket.end(text))),
  );
}

/** Returns a port on which nothing listens. */
export async function findClosedPort(): Promise<number> {
  const server = createTcpServer();
  const port = await listen(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function listenUntilEnd(t: Test, server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  t.teardown(() => {
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of sockets) socket.destroy();
    return closed;
  });
  return listen(server);
}
