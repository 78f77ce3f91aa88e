import { LRUCache } from 'lru-cache';

/**
 * Makes a map of at most `max` entries, which forgets the one that was used longest ago. With the
 * option `max`, the package reserves room for all of them at once, which takes 3 ms for 20,000 and was a sixth of the
 * start of a service. With `maxSize`, and a size of one each, it grows with its entries.
 */
export function createLru<Key extends {}, Value extends {}>(max: number): LRUCache<Key, Value> {
  return new LRUCache({ maxSize: max, sizeCalculation: () => 1 });
}
