import { isIP } from 'node:net';
import { connect as connectTls, TLSSocket } from 'node:tls';
import { type HttpMethod, monitorLimits, type RequestSecrets } from '../../../contract/monitors.js';
import { connect, type Route } from '../../../lib/outbound/connect.js';
import { openRequest } from '../../../lib/outbound/request.js';
import { readText } from './answer-text.js';
import { type ChainEnd, endOfChain } from './certificate-chain.js';
import { CheckFailure } from './outcome.js';
import type { PhaseMeter } from './phase-meter.js';

export type HttpRequest = RequestSecrets & { method: HttpMethod; url: URL };

export type HttpAnswer = {
  status: number;
  location: string | undefined;
  /** Headers `Set-Cookie`. */
  cookies: readonly string[];
  /** The first 64 KiB of the body. */
  text: string;
  /** The certificate that ends first; undefined without TLS. */
  certificate: ChainEnd | undefined;
};

/**
 * Sends one request over a connection of its own and returns the response. Does not follow redirects.
 *
 * @throws CheckFailure, with the status when the answer ends too early; the errors of node's HTTP client and of the address guard.
 */
export function exchange(
  { meter, ...route }: Route & { meter: PhaseMeter },
  { method, url, headers, body }: HttpRequest,
  signal: AbortSignal,
): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    let certificate: ChainEnd | undefined;
    let speaksHttp1 = false;
    let isSettled = false;
    const sending = openRequest(route, url, {
      ...{ method, signal, watcher: meter, headers: joinHeaders(headers, body) },
    });
    sending.on('socket', (socket) => {
      socket.once('secureConnect', () => {
        meter.secured();
        if (!(socket instanceof TLSSocket)) return;
        certificate = endOfChain(socket);
        speaksHttp1 = socket.alpnProtocol === 'http/1.1';
      });
    });
    sending.on('error', (error) => {
      isSettled = true;
      const mayBeHttp2 = url.protocol === 'https:' && !speaksHttp1 && isRejection(error);
      if (!mayBeHttp2) return reject(error);
      void speaksHttp2Alone(route, url, signal).then((alone) => reject(alone ? http2Alone() : error));
    });
    // The client emits no other event when the connection was switched to another protocol.
    sending.on('close', () => {
      if (!isSettled) reject(new CheckFailure('reset', 'The connection was closed without an answer.'));
    });
    sending.on('response', (response) => {
      isSettled = true;
      meter.answered();
      const { statusCode = 0, headers } = response;
      readText(response, monitorLimits.answerBytes).then(
        (text) =>
          resolve({
            ...{ status: statusCode, location: headers.location, text, certificate },
            cookies: headers['set-cookie'] ?? [],
          }),
        (error) => reject(signal.aborted ? error : endedEarly(error, statusCode)),
      );
    });
    sending.end(body ?? undefined);
  });
}

function endedEarly(error: unknown, status: number): CheckFailure {
  if (error instanceof CheckFailure) return new CheckFailure(error.error, error.message, { status });
  return new CheckFailure('reset', 'The answer ended too early: the connection was closed before its end.', {
    status,
  });
}

/** Whether a server has refused a client that does not offer HTTP/2: by an alert, or without a word. */
function isRejection(error: Error): boolean {
  return 'code' in error && /^(ECONNRESET|EPIPE|EPROTO|.*NO_APPLICATION_PROTOCOL)$/.test(String(error.code));
}

function http2Alone(): CheckFailure {
  return new CheckFailure('protocol', 'The server speaks HTTP/2 alone, and checks speak HTTP/1.1.');
}

/** Whether a server that has not agreed to HTTP/1.1 agrees to HTTP/2 (RFC 7301). Sends no request. */
async function speaksHttp2Alone(
  route: Route,
  { hostname, port }: URL,
  signal: AbortSignal,
): Promise<boolean> {
  const host = hostname.replace(/^\[|\]$/g, '');
  const tcp = await connect(route, { host, port: Number(port || 443) }, { signal }).catch(() => undefined);
  if (tcp === undefined) return false;
  const ca = route.trustedCertificates;
  return new Promise((resolve) => {
    const name = isIP(host) === 0 && { servername: host };
    const socket = connectTls({
      socket: tcp,
      host,
      ALPNProtocols: ['h2'],
      ...name,
      ...(ca !== undefined && { ca }),
    });
    const end = (): void => {
      signal.removeEventListener('abort', end);
      socket.destroy();
      resolve(socket.alpnProtocol === 'h2');
    };
    signal.addEventListener('abort', end, { once: true });
    socket.once('secureConnect', end).on('error', end).once('close', end);
  });
}

/** A header that is given several times is sent several times. */
function joinHeaders(
  headers: RequestSecrets['headers'],
  body: string | null,
): Record<string, string | string[]> {
  const joined = new Map<string, string | string[]>([
    ['user-agent', 'Heartline'],
    ['accept', '*/*'],
    // Without it, any coding is acceptable (RFC 9110, section 12.5.3).
    ['accept-encoding', 'identity'],
  ]);
  if (body !== null) joined.set('content-length', String(Buffer.byteLength(body)));
  const given = new Map<string, string[]>();
  for (const [name, value] of headers) {
    const key = name.toLowerCase();
    given.set(key, [...(given.get(key) ?? []), value]);
  }
  for (const [name, values] of given) joined.set(name, values.length === 1 ? (values[0] ?? '') : values);
  return Object.fromEntries(joined);
}
