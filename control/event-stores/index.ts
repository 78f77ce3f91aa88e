export {
  type CheckEventStore,
  openEventStore,
  recordStoreTest,
  replayEventStore,
  resetEventStore,
  type SetEventStoreInput,
  setEventStore,
} from './change-event-store.js';
export {
  checkDatabaseName,
  checkStoreUser,
  type EventStore,
  findEventStore,
  parseStoreUrl,
} from './event-store.js';
export {
  createEventStoreDirectory,
  type EventStoreDirectory,
  type ReachableStore,
} from './event-store-directory.js';
