export {
  type Actor,
  type ActorType,
  actorTypes,
  cliActor,
  jobActor,
  type ShownActor,
  toShownActor,
} from './actor.js';
export { type AuditEntry, type AuditFilter, listAuditEntries } from './list.js';
export { personNameOf } from './person-name.js';
export { pruneAuditLog } from './prune.js';
export { type AuditedFields, type Change, recordChange } from './record.js';
export { recordForgotten } from './record-forgotten.js';
