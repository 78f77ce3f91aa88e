import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { createFilteringAgents, isRefusedAddress } from './filtering-agents.js';
import { problemOfOutboundUrl } from './outbound-url.js';
import { createResolver } from './resolve-host.js';

/** Its message is one sentence for the person whose URL it is; it holds no address of our network. */
export class DownloadError extends Error {
  override name = 'DownloadError';
}

type Bounds = {
  bytesMax: number;
  /** For all of it: resolving, connecting, and reading to the end. */
  timeoutMs: number;
  /** Otherwise only public addresses are connected to. */
  allowPrivateAddresses: boolean;
};

/**
 * What is at a URL that somebody chose. Follows no redirect.
 *
 * @throws DownloadError when there is no answer with status 200, or it is too large or too slow.
 */
export async function download(url: string, bounds: Bounds): Promise<Buffer> {
  const problem = problemOfOutboundUrl(url);
  if (problem !== undefined) throw new DownloadError(problem);
  const { timeoutMs } = bounds;
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    return await readAll(await open(new URL(url), bounds, signal), bounds.bytesMax);
  } catch (error) {
    if (error instanceof DownloadError) throw error;
    if (signal.aborted) throw new DownloadError(`The URL was not answered within ${timeoutMs / 1000} s.`);
    throw explain(error);
  }
}

function open(url: URL, { allowPrivateAddresses }: Bounds, signal: AbortSignal): Promise<IncomingMessage> {
  const agents = createFilteringAgents({ allowPrivateAddresses });
  const options = {
    lookup: createResolver({ localNames: allowPrivateAddresses }),
    signal,
    headers: { 'user-agent': 'Heartline', accept: '*/*', 'accept-encoding': 'identity' },
  };
  return new Promise((resolve, reject) => {
    const sending =
      url.protocol === 'https:'
        ? requestHttps(url, { ...options, agent: agents.https })
        : requestHttp(url, { ...options, agent: agents.http });
    sending.on('response', resolve).on('error', reject).end();
  });
}

async function readAll(response: IncomingMessage, bytesMax: number): Promise<Buffer> {
  const { statusCode = 0, headers } = response;
  try {
    if (statusCode !== 200) {
      const hint = headers.location === undefined ? '' : ' Give the address that it redirects to.';
      throw new DownloadError(`The URL was answered with status ${statusCode}.${hint}`);
    }
    const parts: Buffer[] = [];
    let bytes = 0;
    for await (const part of response as AsyncIterable<Buffer>) {
      bytes += part.length;
      if (bytes > bytesMax) {
        throw new DownloadError(`What is at the URL is larger than ${bytesMax / 1024} KiB.`);
      }
      parts.push(part);
    }
    return Buffer.concat(parts);
  } finally {
    response.destroy();
  }
}

function explain(error: unknown): DownloadError {
  if (isRefusedAddress(error)) {
    return new DownloadError(
      'The URL leads to an address that is not public; HEARTLINE_ALLOW_PRIVATE_ADDRESSES=on allows that.',
    );
  }
  const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
  return new DownloadError(`The URL could not be fetched${code}.`);
}
