import type { TextPosition } from '../../../../../lib/mistakes/text-position.js';
import type { ReadError } from '../../../reads/fetch-json.js';

/** A mistake in a text: an index into it, and what is wrong there. */
export type Fault = { index: number; message: string };

/**
 * Finds the place that a refusal names in the text. `sql` is what was sent, `from` is where it begins in the whole text.
 * `undefined` when the refusal names none.
 */
export function faultOf({ body, message }: ReadError, sql: string, from: number): Fault | undefined {
  const position = body['position'] as Partial<TextPosition> | undefined; // As the API describes it.
  if (typeof position?.offset !== 'number') return undefined;
  // The service counts characters, and a string here counts those beyond the basic plane twice.
  return { index: from + [...sql].slice(0, position.offset).join('').length, message };
}
