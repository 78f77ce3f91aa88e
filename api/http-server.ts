import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { answerClientErrors } from './client-errors.js';
import { boundConnections, type ConnectionBound, startListening } from './listening.js';

/** Bounds on what a connection may cost before its request reaches the application; times in milliseconds. */
const bounds = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: 10_000,
  requestTimeout: 60_000,
  keepAliveTimeout: 30_000,
  connectionsCheckingInterval: 2_000,
  // The application refuses a request without a host, in the usual form.
  requireHostHeader: false,
};
/** A client that reads or sends nothing for this long is cut off; no answer takes as long. */
const silentMsMax = 60_000;
const closeIdleEveryMs = 50;

export type HttpServer = {
  /** `http://host:port` of the server. */
  url: string;
  /** Accepts no new connection, lets open requests finish for up to `graceMs`, then closes every connection. */
  close(graceMs: number): Promise<void>;
};

/** @throws Error with one sentence for the operator when the server cannot listen there */
export async function listen(
  listener: RequestListener,
  host: string,
  port: number,
  bound: ConnectionBound = boundConnections(),
): Promise<HttpServer> {
  const server = createServer(bounds, listener);
  server.timeout = silentMsMax;
  bound(server);
  // Node drops headers beyond 2,000, of which 16 KiB hold more: a second Host among them would go unnoticed.
  server.maxHeadersCount = 0;
  leaveExpectations(server);
  answerClientErrors(server);
  const unwatched = trackUnwatched(server);
  await startListening(server, { host, port, setting: 'PORT' });
  return { url: urlOf(server), close: (graceMs) => closeServer(server, unwatched, graceMs) };
}

/**
 * Lets the application decide about requests with the header Expect. Node would ask for every body before the key is
 * checked, and answer unknown expectations without a body.
 */
function leaveExpectations(server: Server): void {
  for (const event of ['checkContinue', 'checkExpectation'])
    server.on(event, (req, res) => server.emit('request', req, res));
}

/**
 * Connections that Node does not close itself, for which a stop would wait: those that have not sent a request yet, such
 * as those that balancers keep in reserve, and those with a CONNECT, from which Node withdraws.
 */
function trackUnwatched(server: Server): ReadonlySet<Socket> {
  const unwatched = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    unwatched.add(socket);
    socket.once('close', () => unwatched.delete(socket));
  });
  server.on('request', (req) => unwatched.delete(req.socket));
  server.on('connect', (req) => unwatched.add(req.socket));
  return unwatched;
}

function urlOf(server: Server): string {
  const { address, family, port } = server.address() as AddressInfo; // Always an AddressInfo: the server listens on TCP.
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

async function closeServer(server: Server, unwatched: ReadonlySet<Socket>, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  destroyAll(unwatched);
  // Node keeps a connection open whose last request ends after close() was called.
  const sweep = setInterval(() => server.closeIdleConnections(), closeIdleEveryMs);
  const cut = setTimeout(() => {
    server.closeAllConnections();
    destroyAll(unwatched);
  }, graceMs);
  await closed;
  clearInterval(sweep);
  clearTimeout(cut);
}

function destroyAll(sockets: Iterable<Socket>): void {
  for (const socket of sockets) socket.destroy();
}
