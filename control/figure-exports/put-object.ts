import { figureExportLimits } from '../../contract/manage/figure-export.js';
import { clipText } from '../../lib/clip-text.js';
import type { Clock } from '../../lib/clock.js';
import type { Egress } from '../../lib/outbound/egress.js';
import { EgressError } from '../../lib/outbound/egress-error.js';
import { secondMs } from '../../lib/times.js';
import type { Bucket } from './figure-export.js';
import { signRequest } from './sign-request.js';

/** Why a bucket has not taken an object, in a sentence for those who run the page. It has no secret. */
export class BucketError extends Error {
  override name = 'BucketError';
}

export type BucketObject = {
  /** Name without the prefix of the export. */
  name: string;
  mediaType: string;
  body: Buffer;
};

type Deps = { egress: Egress; clock: Clock; signal?: AbortSignal };

/**
 * Puts an object into a bucket, in place of one of the same name.
 *
 * @throws BucketError unless the bucket acknowledges it; the reason of `signal` when it is aborted
 */
export async function putObject(
  { egress, clock, signal }: Deps,
  bucket: Bucket & { secret: string },
  { name, mediaType, body }: BucketObject,
): Promise<void> {
  const url = new URL(`${bucket.endpoint}/${bucket.bucket}/${nameIn(bucket, name)}`);
  const headers = signRequest(bucket, {
    ...{ method: 'PUT', url, body, at: clock.now() },
    headers: { 'content-type': mediaType },
  });
  const answer = await egress
    .send({
      ...{ method: 'PUT', url: url.href, headers, body },
      timeoutMs: figureExportLimits.putSeconds * secondMs,
      ...(signal !== undefined && { signal }),
    })
    .catch((error: unknown) => {
      throw error instanceof EgressError ? new BucketError(error.message) : error;
    });
  const { status } = answer;
  if (status < 200 || status >= 300) throw refusalOf(status, answer.body.bytes.toString('utf8'));
}

/** The name of an object in its bucket. */
export function nameIn({ prefix }: Pick<Bucket, 'prefix'>, name: string): string {
  return prefix === '' ? name : `${prefix}/${name}`;
}

const reasonCharsMax = 200;
const codeForm = /<Code>\s*([A-Za-z0-9.]{1,64})\s*<\/Code>/;
const messageForm = /<Message>([^<]{1,1000})<\/Message>/;

/** S3 explains itself in XML, with a code and a message. */
function refusalOf(status: number, text: string): BucketError {
  const code = codeForm.exec(text)?.[1];
  const message =
    messageForm
      .exec(text)?.[1]
      ?.replaceAll(/\p{Cc}+/gu, ' ')
      .trim() ?? '';
  const named = code === undefined ? `${status}` : `${status} (${code})`;
  if (status >= 300 && status < 400) {
    return new BucketError(
      `The bucket answers ${named}, and redirects are not followed; check the endpoint and the region.`,
    );
  }
  return new BucketError(
    `The bucket answers ${named}${message === '' ? '.' : `: ${clipText(message, reasonCharsMax)}`}`,
  );
}
