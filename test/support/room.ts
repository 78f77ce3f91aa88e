import type { Room } from '../../lib/outbound/attempt-pool.js';

/** Room for attempts of which none runs, and which no page bounds. */
export function makeRoom<Key = never>(
  room: Pick<Room<Key>, 'free' | 'perKey'> & Partial<Room<Key>>,
): Room<Key> {
  return { busy: new Map(), perPage: room.free, busyPages: new Map(), ...room };
}
