import { type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { type ErrorKind, errorRegistry } from '../contract/errors.js';
import { requestIdOf } from './observe.js';

const kinds: Readonly<Record<string, ErrorKind>> = {
  HPE_HEADER_OVERFLOW: 'headersTooLarge',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'bodyTooLarge',
  ERR_HTTP_REQUEST_TIMEOUT: 'bodyTimeout',
};

/** How long a client that still sends may take to read the answer; closing at once could reset it. */
const lingerMs = 2_000;

/**
 * Answers what the HTTP parser refuses, and so never becomes a request, with an error in the usual form. Without it, Node
 * answers some of that with an empty body, and closes the connection of a CONNECT without an answer.
 */
export function answerClientErrors(server: Server): void {
  const newest = new WeakMap<Duplex, ServerResponse>();
  const refused = new WeakSet<Duplex>();
  // A response holds up to 16 KiB of headers, which a connection without a request must not keep.
  function forget(this: ServerResponse): void {
    if (newest.get(this.req.socket) === this) newest.delete(this.req.socket);
  }
  server.on('request', (req, res) => {
    newest.set(req.socket, res);
    res.on('close', forget);
  });
  const refuse = (socket: Duplex, kind: ErrorKind): void => {
    // The parser fails again with each further piece of what the client sends.
    if (refused.has(socket)) return;
    refused.add(socket);
    inOrder(newest.get(socket), kind, socket);
  };
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
    else refuse(socket, kinds[error.code ?? ''] ?? 'notHttp');
  });
  server.on('connect', (_req, socket) => {
    socket.on('error', () => socket.destroy());
    // Node no longer ends the connection of a client that does not read the answers to earlier requests.
    socket.on('timeout', () => socket.destroy());
    refuse(socket, 'methodNotAllowed');
  });
}

/** Sends the error after the answers to earlier requests of the connection, so that a client takes it for none of them. */
function inOrder(last: ServerResponse | undefined, kind: ErrorKind, socket: Duplex): void {
  if (last === undefined) endWith(socket, kind);
  else if (last.req.complete) last.once('close', () => endWith(socket, kind));
  // From here on the body of that request is at fault, so this is its answer.
  else if (last.headersSent) socket.destroy();
  else if (last.socket !== null) endWith(socket, kind);
  else {
    // Answers to earlier requests are still to come, and Node keeps the order.
    const { status, headers, body } = describe(kind);
    last.setHeader('x-request-id', requestIdOf(last.req));
    last.writeHead(status, headers).end(body);
  }
}

function endWith(socket: Duplex, kind: ErrorKind): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const { status, headers, body } = describe(kind);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${body}`);
  const timer = setTimeout(() => socket.destroy(), lingerMs);
  socket.once('close', () => clearTimeout(timer)).resume();
}

function describe(kind: ErrorKind): { status: number; headers: Record<string, string>; body: string } {
  const { status, code, message } = errorRegistry[kind];
  const body = JSON.stringify({ error: message, code });
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
    // Only a CONNECT gets this here: it asks for another server, for which no method is allowed.
    ...(kind === 'methodNotAllowed' && { allow: '' }),
  };
  return { status, headers, body };
}
