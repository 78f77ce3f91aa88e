import {
  type ClientRequest,
  type IncomingMessage,
  type RequestOptions,
  request as requestHttp,
} from 'node:http';
import { request as requestHttps } from 'node:https';
import type { LookupFunction } from 'node:net';
import { agentFor, createFilteringAgents, type FilteringAgents } from './filtering-agents.js';
import { createResolver, nameServersAnswer } from './resolve-host.js';

/** The way to addresses that tenants chose: agents that refuse private addresses, and a resolver. */
export type Outbound = {
  agents: FilteringAgents;
  lookup: LookupFunction;
  /** Whether this machine can look up names at all. */
  nameServersAnswer(): Promise<boolean>;
};

export function createOutbound({
  allowPrivateAddresses,
  lookup = createResolver({ localNames: allowPrivateAddresses }),
}: {
  allowPrivateAddresses: boolean;
  lookup?: LookupFunction;
}): Outbound {
  return {
    agents: createFilteringAgents({ allowPrivateAddresses }),
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

/** Opens a request over a connection of its own, without a body yet. Redirects are not followed. */
export function openRequest(
  { agents, lookup }: Pick<Outbound, 'agents' | 'lookup'>,
  url: URL,
  options: Pick<RequestOptions, 'method' | 'headers' | 'signal'>,
): ClientRequest {
  const request = url.protocol === 'https:' ? requestHttps : requestHttp;
  return request(url, { ...options, lookup, agent: agentFor(agents, url) });
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
export function readStart(response: IncomingMessage, bytesMax: number): Promise<BodyStart> {
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
