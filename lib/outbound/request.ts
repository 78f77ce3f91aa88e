import {
  type ClientRequest,
  type ClientRequestArgs,
  Agent as HttpAgent,
  type RequestOptions,
  request as requestHttp,
} from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import type { LookupFunction } from 'node:net';
import type { Duplex, Readable } from 'node:stream';
import type { ConnectionOptions } from 'node:tls';
import { createAddressGuard, type PrivateAddresses } from './address-guard.js';
import { type ConnectWatcher, connect, type Route } from './connect.js';
import { createResolver, nameServersAnswer } from './resolve-host.js';

/** The way to addresses that tenants chose: a guard that refuses private addresses, and a resolver. */
export type Outbound = Route & {
  /** Whether this machine can look up names at all. */
  nameServersAnswer(): Promise<boolean>;
};

export function createOutbound({
  allowPrivateAddresses,
  lookup = createResolver({ localNames: allowPrivateAddresses }),
}: {
  allowPrivateAddresses: PrivateAddresses;
  lookup?: LookupFunction;
}): Outbound {
  return {
    guard: createAddressGuard({ allowPrivateAddresses }),
    lookup,
    nameServersAnswer: shareAnswer(nameServersAnswer),
  };
}

/** Hundreds of look-ups fail at once when name servers are away; one question is enough for all of them. */
function shareAnswer<T>(ask: () => Promise<T>): () => Promise<T> {
  let asking: Promise<T> | undefined;
  return () => {
    asking ??= ask().finally(() => {
      asking = undefined;
    });
    return asking;
  };
}

/** The connection of one request. */
type Way = { route: Route; signal: AbortSignal | undefined; watcher: ConnectWatcher | undefined };
type Connected = (error: Error | null, stream: Duplex) => void;

/** A connection that is kept could outlive the address that its name resolved to, so none is. */
class RouteAgent extends HttpAgent {
  constructor(private readonly way: Way) {
    super({ keepAlive: false });
  }

  override createConnection(options: ClientRequestArgs, done?: Connected): undefined {
    connectFor(this.way, options, done, (socket) => socket);
  }
}

class RouteTlsAgent extends HttpsAgent {
  constructor(private readonly way: Way) {
    const { trustedCertificates } = way.route;
    // The certificate is not checked again in a resumed TLS session.
    super({
      ...{ keepAlive: false, maxCachedSessions: 0, rejectUnauthorized: true },
      ...(trustedCertificates !== undefined && { ca: trustedCertificates }),
    });
  }

  override createConnection(options: ClientRequestArgs, done?: Connected): undefined {
    connectFor(this.way, options, done, (socket) => {
      // Node.js passes the options on to tls.connect(), whose types have the socket.
      const onSocket: ClientRequestArgs & Pick<ConnectionOptions, 'socket'> = { ...options, socket };
      return super.createConnection(onSocket);
    });
  }
}

function connectFor(
  { route, signal, watcher }: Way,
  { host, port }: ClientRequestArgs,
  done: Connected | undefined,
  secure: (socket: Duplex) => Duplex | null | undefined,
): void {
  connect(route, { host: host ?? '', port: Number(port) }, { signal, watcher }).then(
    (socket) => done?.(null, secure(socket) ?? socket),
    // Node.js reads no stream beside an error.
    (error) => (done as ((error: Error) => void) | undefined)?.(error),
  );
}

/** Browsers and curl take 100 KB and more; no standard bounds the headers of an answer. */
const headerBytesMax = 256 * 1024;

/**
 * Opens a request over a connection of its own, without a body yet. Redirects are not followed.
 *
 * @param options.signal ends the request, while it connects too.
 */
export function openRequest(
  route: Route,
  url: URL,
  {
    watcher,
    ...options
  }: Pick<RequestOptions, 'method' | 'headers' | 'signal'> & { watcher?: ConnectWatcher },
): ClientRequest {
  const isSecure = url.protocol === 'https:';
  const way: Way = { route, signal: options.signal, watcher };
  const agent = isSecure ? new RouteTlsAgent(way) : new RouteAgent(way);
  const request = isSecure ? requestHttps : requestHttp;
  return request(url, { ...options, maxHeaderSize: headerBytesMax, agent });
}

export type BodyStart = {
  /** At most `bytesMax` bytes of the body. */
  bytes: Buffer;
  /** Whether the body is longer. */
  isCut: boolean;
  /** Why the rest of the body did not arrive. */
  error?: Error;
};

/** Reads the first `bytesMax` bytes of a body, and closes the connection when the body is longer. Does not reject. */
export function readStart(response: Readable, bytesMax: number): Promise<BodyStart> {
  return new Promise((resolve) => {
    const parts: Buffer[] = [];
    let length = 0;
    const finish = (rest: { isCut: boolean; error?: Error }): void => {
      resolve({ bytes: Buffer.concat(parts).subarray(0, bytesMax), ...rest });
    };
    response.on('data', (part: Buffer) => {
      parts.push(part);
      length += part.length;
      if (length <= bytesMax) return;
      finish({ isCut: true });
      response.destroy();
    });
    response.on('end', () => finish({ isCut: false }));
    response.on('error', (error) => finish({ isCut: false, error }));
    response.on('close', () => finish({ isCut: false, error: new Error('The body ended too early.') }));
  });
}
