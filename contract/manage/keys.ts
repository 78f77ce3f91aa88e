import Type, { type Static } from 'typebox';
import { aliasChars } from '../alias.js';
import { Line } from '../line.js';
import { keyAccesses } from '../permissions.js';
import { pageScopes, scopes } from '../scopes.js';
import { actorFields } from './actor.js';
import { closed, Id, nullable, Time } from './shared.js';

/** Keys of a page that are not revoked; expired ones count. */
export const keysPerPageMax = 500;

const KeyName = Line('line', {
  charsMax: aliasChars,
  description: 'Who uses the key, such as "checkout on eu-1".',
});

/** A key as lists and answers show it. The key itself appears once, in the answer that made it. */
export const ManagedKey = closed({
  id: Id,
  name: nullable(Type.String()),
  scope: Type.Enum([...scopes]),
  access: nullable(
    Type.Enum([...keyAccesses], { description: 'Whether a manage key may write; null for others.' }),
  ),
  displayPrefix: Type.String({ description: 'The start of the key, such as key_ingest_Ab3d.' }),
  createdAt: Time,
  createdBy: nullable(closed(actorFields)),
  lastUsedAt: nullable(Time),
  expiresAt: nullable(Time),
  revokedAt: nullable(Time),
});
export type ManagedKey = Static<typeof ManagedKey>;

export const CreateManagedKey = closed({
  scope: Type.Enum([...pageScopes]),
  access: Type.Optional(
    Type.Enum([...keyAccesses], { description: 'For the scope manage; write when absent.' }),
  ),
  name: Type.Optional(KeyName),
  expiresAt: Type.Optional(Type.String({ format: 'date-time', description: 'When the key expires.' })),
});

export const CreatedManagedKey = closed({
  ...ManagedKey.properties,
  key: Type.String({ description: 'The whole key. No later answer has it.' }),
});
export type CreatedManagedKey = Static<typeof CreatedManagedKey>;

export const ChangeManagedKey = closed({ name: Type.Optional(KeyName) });
