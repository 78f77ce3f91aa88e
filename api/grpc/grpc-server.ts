import { createServer as createHttp2Server, type ServerHttp2Session, type ServerOptions } from 'node:http2';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { errorRegistry } from '../../contract/errors.js';
import { type ConnectionBound, type Place, startListening } from '../listening.js';
import type { CallListener } from './answer-calls.js';

/** Bounds on what a connection may cost before its calls reach the application. */
const bounds: ServerOptions = {
  settings: {
    /** Calls at once on a connection. A collector has ten consumers for a queue. */
    maxConcurrentStreams: 100,
    maxHeaderListSize: 16 * 1024,
    /** Bytes of a call that may be on their way unread: a batch of 512 spans has 15 to 30 KB compressed, 150 KB plain. */
    initialWindowSize: 256 * 1024,
    enablePush: false,
  },
  maxHeaderListPairs: 100,
};
/** The same of all calls of a connection. */
const connectionWindowBytes = 1024 * 1024;
/** A connection without a byte for this long is closed. SDKs send metrics once a minute. */
const idleMsMax = 300_000;
/** A connection that is told to close ends after this long, whatever is open on it. */
const closingMsMax = 15_000;
/** A client speaks first. */
const silentMsMax = 10_000;

export type GrpcServer = {
  port: number;
  /** Accepts no new call, lets open ones finish for up to `graceMs`, then closes every connection. */
  close(graceMs: number): Promise<void>;
};

/**
 * Listens for calls of gRPC without TLS, which is the proxy's. Several processes may share the port.
 *
 * @throws Error with one sentence for the operator when the server cannot listen there
 */
export async function listenGrpc(
  listener: CallListener,
  place: Omit<Place, 'setting'>,
  bound: ConnectionBound,
): Promise<GrpcServer> {
  const calls = createHttp2Server(bounds);
  const sessions = new Set<ServerHttp2Session>();
  calls.on('stream', listener);
  calls.on('session', (session) => {
    sessions.add(session);
    session.once('close', () => sessions.delete(session));
    // A 'close' follows.
    session.on('error', () => {});
    session.setLocalWindowSize(connectionWindowBytes);
    session.setTimeout(idleMsMax, () => closeSession(session));
  });
  const silent = new Set<Socket>();
  const server = createServer((socket) => {
    silent.add(socket);
    socket.once('close', () => silent.delete(socket)).on('error', () => socket.destroy());
    readPreface(socket, (isHttp2) => {
      silent.delete(socket);
      if (isHttp2) calls.emit('connection', socket);
      else explainPort(socket);
    });
  });
  bound(server);
  await startListening(server, { ...place, setting: 'HEARTLINE_OTLP_GRPC_PORT' });
  const { port } = server.address() as AddressInfo; // Always an AddressInfo: the server listens on TCP.
  return {
    port,
    async close(graceMs) {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of silent) socket.destroy();
      for (const session of sessions) session.close();
      const cut = setTimeout(() => {
        for (const session of sessions) session.destroy();
      }, graceMs);
      await closed;
      clearTimeout(cut);
    },
  };
}

/** Tells the client to open no further call, and does not wait for ever for those that are open. */
function closeSession(session: ServerHttp2Session): void {
  session.close();
  const cut = setTimeout(() => session.destroy(), closingMsMax);
  session.once('close', () => clearTimeout(cut));
}

const preface = 'PRI * HTTP/2.0';

/** Looks at the first bytes of a connection, and leaves them in place. */
function readPreface(socket: Socket, onRead: (isHttp2: boolean) => void): void {
  const onTimeout = (): unknown => socket.destroy();
  socket.setTimeout(silentMsMax).once('timeout', onTimeout);
  socket.once('readable', () => {
    const first: Buffer | null = socket.read();
    if (first === null) return; // The client has hung up.
    socket.setTimeout(0).off('timeout', onTimeout);
    const begin = first.toString('latin1', 0, preface.length);
    socket.unshift(first);
    onRead(preface.startsWith(begin));
  });
}

/** Answers a client that speaks HTTP/1.1. An SDK shows the sentence in its log. */
function explainPort(socket: Socket): void {
  const { status, message: error, code } = errorRegistry.notGrpc;
  const body = JSON.stringify({ error, code });
  const head = [
    `HTTP/1.1 ${status} Unsupported Media Type`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ];
  socket.setTimeout(silentMsMax, () => socket.destroy());
  socket.resume().end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
