import Type, { type Static } from 'typebox';
import { Line } from '../line.js';
import { closed, Id, nullable, Time } from './shared.js';

/** A person with an account, as the installation's admins see it. */
export const ManagedUser = closed({
  id: Id,
  email: Type.String(),
  name: Type.String(),
  admin: Type.Boolean({ description: 'Whether the person runs the installation, and so every page.' }),
  disabled: Type.Boolean({ description: 'Whether the person may not sign in.' }),
  language: nullable(Type.String({ description: 'A language tag; null when none was chosen.' })),
  hasPassword: Type.Boolean(),
  hasTotp: Type.Boolean({ description: 'Whether signing in needs a code of an app.' }),
  identityProvider: nullable(
    Type.String({ description: 'Issuer of the identity provider that the account belongs to.' }),
  ),
  createdAt: Time,
  lastSignedInAt: nullable(Time),
});
export type ManagedUser = Static<typeof ManagedUser>;

export const ChangeManagedUser = closed({
  name: Type.Optional(Line('line', { charsMax: 200 })),
  admin: Type.Optional(Type.Boolean({ description: 'The last admin stays one: 409.' })),
  disabled: Type.Optional(
    Type.Boolean({ description: 'Ends the sessions of the person at once; roles stay.' }),
  ),
});
