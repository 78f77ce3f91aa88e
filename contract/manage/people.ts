import Type, { type Static } from 'typebox';
import { pageRoles } from '../permissions.js';
import { closed, Id, nullable, Time } from './shared.js';

const Role = Type.Enum([...pageRoles]);

/** Somebody with a role on a page. */
export const ManagedPerson = closed({
  id: Id,
  email: Type.String(),
  name: Type.String(),
  role: Role,
  byGroups: Type.Boolean({
    description: 'Whether groups of the identity provider gave the role, and change it at each sign-in.',
  }),
  disabled: Type.Boolean({ description: 'Whether the person may not sign in.' }),
  createdAt: Type.String({ format: 'date-time', description: 'Since when the person has a role here.' }),
  lastSignedInAt: nullable(Time),
});
export type ManagedPerson = Static<typeof ManagedPerson>;

export const ChangeManagedPerson = closed({
  role: Type.Optional(Type.Enum([...pageRoles], { description: 'The last owner stays one: 409.' })),
});

/** An invitation that nobody has accepted or revoked. */
export const ManagedInvitation = closed({
  id: Id,
  email: Type.String(),
  role: Role,
  invitedBy: Type.String({ description: 'Email of a person, name of a key, login name at the shell.' }),
  invitedByName: Type.Optional(Type.String({ description: 'What the person is called.' })),
  createdAt: Time,
  expiresAt: Type.String({ format: 'date-time', description: 'The link works until then.' }),
});
export type ManagedInvitation = Static<typeof ManagedInvitation>;

export const CreateManagedInvitation = closed({
  email: Type.String({ maxLength: 254, description: 'An open invitation of this address ends.' }),
  role: Role,
});

export const CreatedManagedInvitation = closed({
  ...ManagedInvitation.properties,
  url: Type.String({
    description:
      'A link that works once within 7 days. It does not prove that its holder has the address. No later answer has it.',
  }),
  isMailed: Type.Boolean({
    description:
      'Whether the service emails a link that proves the address; without a mail server it does not.',
  }),
});
export type CreatedManagedInvitation = Static<typeof CreatedManagedInvitation>;
