import {
  type ClientRequest,
  type IncomingMessage,
  type RequestOptions,
  request as requestHttp,
} from 'node:http';
import { request as requestHttps } from 'node:https';
import { TLSSocket } from 'node:tls';
import { type HttpMethod, monitorLimits, type RequestSecrets } from '../../../contract/monitors.js';
import type { CheckDeps } from './check-deps.js';
import type { PhaseMeter } from './measure-phases.js';
import { CheckFailure } from './outcome.js';

export type HttpRequest = RequestSecrets & { method: HttpMethod; url: URL };

export type HttpAnswer = {
  status: number;
  location: string | undefined;
  /** The start of the body: no more than is read of an answer. */
  text: string;
  /** End of the server's certificate, milliseconds since the epoch; undefined without TLS. */
  certificateEndsAt: number | undefined;
};

/**
 * One request and its answer, without redirects, over a connection of its own.
 *
 * @throws the errors of node's HTTP client and of the filtering agents.
 */
export function exchange(
  deps: Pick<CheckDeps, 'agents' | 'lookup'> & { meter: PhaseMeter },
  request: HttpRequest,
  signal: AbortSignal,
): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    let certificateEndsAt: number | undefined;
    const sending = open(deps, request, signal);
    sending.on('socket', (socket) => {
      deps.meter.watch(socket, socket instanceof TLSSocket);
      socket.once('secureConnect', () => {
        if (socket instanceof TLSSocket) certificateEndsAt = Date.parse(socket.getPeerCertificate().valid_to);
      });
    });
    sending.on('error', reject);
    // The client says nothing more of a connection that was switched to another protocol.
    sending.on('close', () =>
      reject(new CheckFailure('reset', 'The connection was closed without an answer.')),
    );
    sending.on('response', (response) => {
      deps.meter.answered();
      const { statusCode = 0, headers } = response;
      readStart(response).then(
        (text) => resolve({ status: statusCode, location: headers.location, text, certificateEndsAt }),
        reject,
      );
    });
    sending.end(request.body ?? undefined);
  });
}

function open(
  { agents, lookup }: Pick<CheckDeps, 'agents' | 'lookup'>,
  { method, url, headers, body }: HttpRequest,
  signal: AbortSignal,
): ClientRequest {
  const options: RequestOptions = { method, lookup, signal, headers: joinHeaders(headers, body) };
  return url.protocol === 'https:'
    ? requestHttps(url, { ...options, agent: agents.https })
    : requestHttp(url, { ...options, agent: agents.http });
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

/** The body as text, up to where it is long enough; then the connection is closed. */
function readStart(response: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let bytes = 0;
    const finish = (): void => {
      resolve(Buffer.concat(parts).subarray(0, monitorLimits.answerBytes).toString('utf8'));
      response.destroy();
    };
    response.on('data', (part: Buffer) => {
      parts.push(part);
      bytes += part.length;
      if (bytes >= monitorLimits.answerBytes) finish();
    });
    response.on('end', finish).on('error', reject);
  });
}
