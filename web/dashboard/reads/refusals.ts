import { ReadError } from './fetch-json.js';
import type { Read } from './use-read.js';

/** For the deletion of a thing: one that is gone meanwhile is what was asked for. @throws any other error */
export function unlessGone(error: unknown): void {
  if (!(error instanceof ReadError) || error.status !== 404) throw error;
}

/**
 * For a change that is refused because the state is another one: reads that, so that the next attempt meets it.
 *
 * @throws the error in any case, which the caller shows
 */
export function readIfStale({ retry }: Pick<Read<unknown>, 'retry'>): (error: unknown) => never {
  return (error) => {
    if (error instanceof ReadError && error.status === 412) retry();
    throw error;
  };
}
