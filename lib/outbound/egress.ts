import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { LookupFunction } from 'node:net';
import { EgressError, explainFailure } from './egress-error.js';
import { createFilteringAgents } from './filtering-agents.js';
import { problemOfOutboundUrl } from './outbound-url.js';
import { createResolver } from './resolve-host.js';

export type EgressRequest = {
  method: 'GET' | 'HEAD' | 'POST';
  url: string;
  headers: Record<string, string>;
  body?: string;
  /** For all of it: resolving, connecting, sending and reading the answer. */
  timeoutMs: number;
  /** Ends the request; it then rejects with the signal's reason. */
  signal: AbortSignal;
};

export type EgressAnswer = {
  status: number;
  /** What was read of the body, as text: no more than the first kibibytes, less when the rest did not arrive. */
  text: string;
};

/** Requests to addresses that tenants chose. */
export type Egress = {
  /** Follows no redirect. @throws EgressError when there is no answer. */
  send(request: EgressRequest): Promise<EgressAnswer>;
};

const answerBytesMax = 8 * 1024;

/** Goes through the agents of outbound/, which refuse private addresses unless they are allowed. */
export function createEgress({
  allowPrivateAddresses,
  lookup = createResolver({ localNames: allowPrivateAddresses }),
}: {
  allowPrivateAddresses: boolean;
  lookup?: LookupFunction;
}): Egress {
  const agents = createFilteringAgents({ allowPrivateAddresses });

  function open({ url, method, headers, body }: EgressRequest, signal: AbortSignal): ClientRequest {
    const problem = problemOfOutboundUrl(url);
    if (problem !== undefined) throw new EgressError('url', problem);
    const target = new URL(url);
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const common = { method, headers: { ...headers, ...length }, lookup, signal };
    const opened =
      target.protocol === 'https:'
        ? requestHttps(target, { ...common, agent: agents.https })
        : requestHttp(target, { ...common, agent: agents.http });
    return opened.end(body);
  }

  return {
    async send(request) {
      const { signal, timeoutMs } = request;
      signal.throwIfAborted();
      const ending = new AbortController();
      const end = (): void => ending.abort();
      const timer = setTimeout(end, timeoutMs);
      signal.addEventListener('abort', end);
      try {
        return await readAnswer(open(request, ending.signal));
      } catch (error) {
        signal.throwIfAborted();
        if (ending.signal.aborted) throw new EgressError('timeout', `No answer within ${timeoutMs} ms.`);
        throw error instanceof EgressError ? error : explainFailure(error);
      } finally {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
        ending.abort();
      }
    },
  };
}

/** Rejects when there is no status; what of the body is missing then does not matter. */
function readAnswer(sending: ClientRequest): Promise<EgressAnswer> {
  return new Promise((resolve, reject) => {
    sending.on('error', reject);
    sending.on('response', (response: IncomingMessage) => {
      const parts: Buffer[] = [];
      let bytes = 0;
      const finish = (): void => {
        const text = Buffer.concat(parts).subarray(0, answerBytesMax).toString('utf8');
        resolve({ status: response.statusCode ?? 0, text });
      };
      response.on('data', (part: Buffer) => {
        parts.push(part);
        bytes += part.length;
        if (bytes >= answerBytesMax) finish();
      });
      response.on('error', finish).on('close', finish);
    });
  });
}
