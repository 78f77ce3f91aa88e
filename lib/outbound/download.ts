import type { PrivateAddresses } from './address-guard.js';
import { createEgress } from './egress.js';
import { EgressError } from './egress-error.js';

/** The message is one sentence for the person whose URL it is, without an address of our network. */
export class DownloadError extends Error {
  override name = 'DownloadError';
}

/**
 * Downloads a URL that a person chose. Does not follow redirects.
 *
 * @param bounds.timeoutMs for all of it: resolving, connecting, and reading to the end.
 * @throws DownloadError when there is no answer with status 200, or the answer is too large or too slow.
 */
export async function download(
  url: string,
  bounds: { bytesMax: number; timeoutMs: number; allowPrivateAddresses: PrivateAddresses },
): Promise<Buffer> {
  const { bytesMax, timeoutMs, allowPrivateAddresses } = bounds;
  const headers = { 'user-agent': 'Heartline', accept: '*/*', 'accept-encoding': 'identity' };
  const { status, location, body } = await createEgress({ allowPrivateAddresses })
    .send({ method: 'GET', url, headers, timeoutMs, answerBytesMax: bytesMax })
    .catch((error: unknown) => {
      throw explain(error, timeoutMs);
    });
  if (status !== 200) {
    const hint = location === undefined ? '' : ' Give the address that it redirects to.';
    throw new DownloadError(`The URL was answered with status ${status}.${hint}`);
  }
  if (body.isCut) throw new DownloadError(`What is at the URL is larger than ${bytesMax / 1024} KiB.`);
  if (body.error !== undefined) throw new DownloadError('The answer of the URL broke off; try again.');
  return body.bytes;
}

function explain(error: unknown, timeoutMs: number): unknown {
  if (!(error instanceof EgressError)) return error;
  const { kind, code, message } = error;
  if (kind === 'url' || kind === 'metadata') return new DownloadError(message);
  if (kind === 'timeout') {
    return new DownloadError(`The URL was not answered within ${timeoutMs / 1000} s.`);
  }
  if (kind === 'address') {
    return new DownloadError(
      'The URL leads to an address that is not public; HEARTLINE_ALLOW_PRIVATE_ADDRESSES=on allows that.',
    );
  }
  return new DownloadError(`The URL could not be fetched${code === undefined ? '' : ` (${code})`}.`);
}
