import { ReadError, sendJson } from '../../reads/fetch-json.js';

/**
 * Publishes something, once for all attempts with the same key. `publishedBefore` is for the person whose first attempt
 * was published after all, with another text.
 *
 * @throws ReadError as sendJson()
 */
export async function publish<T>(
  path: string,
  body: object,
  { publishKey, publishedBefore }: { publishKey: string | undefined; publishedBefore: string },
): Promise<T> {
  try {
    return await sendJson<T>('POST', path, body, publishKey === undefined ? {} : { publishKey });
  } catch (error) {
    const isOther = error instanceof ReadError && error.code === 'incident.key_reused';
    if (isOther) throw new ReadError(409, publishedBefore);
    throw error;
  }
}
