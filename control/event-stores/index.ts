export {
  checkDatabaseName,
  type EventStore,
  eventStoreContext,
  findEventStore,
  loadStorePassword,
  parseStoreUrl,
  resetEventStore,
  type SetEventStoreInput,
  setEventStore,
} from './event-store.js';
export {
  createEventStoreDirectory,
  type EventStoreDirectory,
  type ReachableStore,
} from './event-store-directory.js';
