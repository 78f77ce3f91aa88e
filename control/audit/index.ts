export {
  type Actor,
  type ActorType,
  actorTypes,
  cliActor,
  jobActor,
  personNameOf,
  type ShownActor,
  toShownActor,
} from './actor.js';
export { type AuditEntry, type AuditFilter, listAuditEntries, pruneAuditLog } from './audit-log.js';
export { type AuditedFields, type Change, recordChange, recordForgotten } from './record-change.js';
