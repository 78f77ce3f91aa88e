import { TLSSocket } from 'node:tls';
import { type HttpMethod, monitorLimits, type RequestSecrets } from '../../../contract/monitors.js';
import { openRequest, type Route, readStart } from '../../../lib/outbound/request.js';
import { CheckFailure } from './outcome.js';
import type { PhaseMeter } from './phases.js';

export type HttpRequest = RequestSecrets & { method: HttpMethod; url: URL };

export type HttpAnswer = {
  status: number;
  location: string | undefined;
  /** The first 64 KiB of the body. */
  text: string;
  /** Expiry of the server's certificate, in milliseconds since the epoch; undefined without TLS. */
  certificateEndsAt: number | undefined;
};

/**
 * Sends one request over a connection of its own and returns the response. Does not follow redirects.
 *
 * @throws the errors of node's HTTP client and of the address guard.
 */
export function exchange(
  { meter, ...route }: Route & { meter: PhaseMeter },
  { method, url, headers, body }: HttpRequest,
  signal: AbortSignal,
): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    let certificateEndsAt: number | undefined;
    const sending = openRequest(route, url, {
      ...{ method, signal, watcher: meter, headers: joinHeaders(headers, body) },
    });
    sending.on('socket', (socket) => {
      socket.once('secureConnect', () => {
        meter.secured();
        if (socket instanceof TLSSocket) certificateEndsAt = Date.parse(socket.getPeerCertificate().valid_to);
      });
    });
    sending.on('error', reject);
    // The client emits no other event when the connection was switched to another protocol.
    sending.on('close', () =>
      reject(new CheckFailure('reset', 'The connection was closed without an answer.')),
    );
    sending.on('response', (response) => {
      meter.answered();
      const { statusCode = 0, headers } = response;
      void readStart(response, monitorLimits.answerBytes).then(({ bytes, error }) => {
        if (error !== undefined) return reject(error);
        const text = bytes.toString('utf8');
        resolve({ status: statusCode, location: headers.location, text, certificateEndsAt });
      });
    });
    sending.end(body ?? undefined);
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
