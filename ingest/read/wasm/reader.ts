/** The functions and places that JavaScript uses; see `reader-memory.ts`. */
export { readBody } from './body';
export { addSpelling, emptyDictionary } from './dictionary';
export { addKey } from './keys';
export {
  AT_MS,
  BODY,
  BODY_BYTES_MAX,
  ENDPOINT,
  EVENT_END,
  EVENT_START,
  EVENTS_MAX,
  LATENCY_MS,
  LEFTOVERS,
  LEFTOVERS_OF_EVENT,
  MEMORY_BYTES,
  METHOD,
  OUTCOME,
  PADDING_BYTES,
  SOURCE,
  SPELLING_BYTES_MAX,
  STATUS,
} from './layout';
import { seedDictionary } from './dictionary';
import { makePowersOfTen } from './numbers';
import { makeMasks } from './strings';

/** Prepares a new memory. `seed` is random. */
export function begin(seed: u64): void {
  makeMasks();
  makePowersOfTen();
  seedDictionary(seed);
}
