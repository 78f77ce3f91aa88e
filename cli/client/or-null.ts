import Type from 'typebox';
import { ServiceError } from '../../lib/service-error.js';
import type { Client } from './client.js';

/**
 * Returns the result of work on one thing of a page, or null when the page has no such thing.
 *
 * @param page the path of the page. One that does not exist is an error as well.
 */
export async function orNull<T>(client: Client, page: string, work: Promise<T>): Promise<T | null> {
  return work.catch(async (error: unknown) => {
    if (!(error instanceof ServiceError) || error.kind !== 'notFound') throw error;
    await client.send('GET', page, { answer: Type.Unknown() });
    return null;
  });
}
