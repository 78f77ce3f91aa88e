import Type, { type Static } from 'typebox';
import { actorFields, targetFields } from './actor.js';
import { closed, Id, nullable, Time } from './shared.js';

const Fields = nullable(
  Type.Record(Type.String(), Type.Unknown(), { description: 'The changed fields by name; never a secret.' }),
);

/** A change as the audit log has it. */
export const AuditEntry = closed({
  id: Id,
  at: Time,
  actor: closed(actorFields),
  page: nullable(
    Type.String({ description: 'Slug; null for what belongs to the installation or a deleted page.' }),
  ),
  action: Type.String({ description: 'noun.verb, such as monitor.update.' }),
  target: closed(targetFields),
  before: Fields,
  after: Fields,
  address: nullable(
    Type.String({ description: 'Address of the client; null for jobs and the command line.' }),
  ),
});
export type AuditEntry = Static<typeof AuditEntry>;

export const auditParameters = {
  actor: Type.Optional(Type.String({ description: 'Id, email or name of who made the change.' })),
  action: Type.Optional(Type.String({ description: 'noun.verb, such as monitor.update.' })),
  target: Type.Optional(Type.String({ description: 'Id, email or name of what was changed.' })),
  from: Type.Optional(
    Type.String({ description: 'First time, such as 2027-01-31T00:00:00Z, 2027-01-31 or now-7d.' }),
  ),
  to: Type.Optional(Type.String({ description: 'Time after the last; a date includes its whole day.' })),
};
