import type { Room } from '../../control/delivery/index.js';

/** Room for attempts of which none runs, and which no page bounds. */
export function makeRoom(room: Pick<Room, 'free' | 'perKey'> & Partial<Room>): Room {
  return { busy: new Map(), perPage: room.free, busyPages: new Map(), ...room };
}
