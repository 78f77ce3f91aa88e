export type { Limits, Room, StopSignals } from './attempt-pool.js';
export {
  type Attempted,
  type Courier,
  type DeliveryDeps,
  type Recorded,
  type Round,
  type Send,
  startDeliveryLoop,
} from './engine.js';
export { type Next, nextOf, type Outcome } from './outcome.js';
export { lockPageForNote, noteToOwners, type QueueNotice } from './owners-note.js';
export { type NoAnswer, post } from './post.js';
export { type Claim, type Claimed, claimDue, park, type Queue, sendAgain, settle } from './queue.js';
