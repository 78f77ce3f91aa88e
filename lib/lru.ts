import { LRUCache } from 'lru-cache';

/**
 * Makes a map of at most `max` entries, which forgets the one that was used longest ago. The package reserves room for
 * all of them when it is told their number: 3 ms and 0.6 MB for 20,000, with twenty such maps in a service. When each
 * entry counts as one of `maxSize`, it takes room as entries come.
 */
export function createLru<Key extends {}, Value extends {}>(max: number): LRUCache<Key, Value> {
  return new LRUCache({ maxSize: max, sizeCalculation: () => 1 });
}
