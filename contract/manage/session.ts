import Type, { type Static } from 'typebox';
import { Line } from '../line.js';
import { pageRoles, permissions } from '../permissions.js';
import { closed, Id, nullable, Time } from './shared.js';

/** Longer texts are no passwords; what is a good one is checked when it is set. */
const Password = Type.String({ maxLength: 1_000 });
const Code = Type.String({
  maxLength: 50,
  description: 'Six digits of the authenticator app, or a recovery code.',
});
const NewPassword = Type.String({
  maxLength: 1_000,
  description:
    '12 to 200 characters; not one of the commonest passwords, nor the email or the name of its owner.',
});

/** Who calls, and what the caller may do. */
export const Me = closed({
  caller: closed({
    type: Type.Enum(['user', 'key']),
    id: Id,
    name: Type.String(),
    email: Type.Optional(Type.String({ description: 'The email of a user; absent for a key.' })),
    language: Type.Optional(
      nullable(
        Type.String({ description: 'Language tag of a user, such as pt-BR; null when none was chosen.' }),
      ),
    ),
    hasPassword: Type.Optional(Type.Boolean({ description: 'Of a user; absent for a key.' })),
    hasTotp: Type.Optional(
      Type.Boolean({ description: 'Whether signing in needs a code of an app; absent for a key.' }),
    ),
  }),
  admin: Type.Boolean({ description: 'Whether the caller runs the installation.' }),
  pages: Type.Array(
    closed({
      slug: Type.String(),
      name: Type.String(),
      role: nullable(
        Type.Enum([...pageRoles], {
          description: 'null for a key, and for an admin who has no role on the page.',
        }),
      ),
      permissions: Type.Array(Type.Enum([...permissions])),
      alertThresholdPercent: nullable(
        Type.Number({
          description:
            'Share of failing requests from which on the alert rule of the page opens an incident; null without a rule.',
        }),
      ),
    }),
    { description: 'The pages that the caller may read, by their slugs.' },
  ),
});
export type Me = Static<typeof Me>;

export const CreateSession = closed({
  email: Type.String({ maxLength: 1_000 }),
  password: Password,
  code: Type.Optional(Code),
});

export const ListedSession = closed({
  id: Id,
  isCurrent: Type.Boolean({ description: 'Whether this request is of this session.' }),
  createdAt: Time,
  lastSeenAt: Type.String({ format: 'date-time', description: 'At most an hour behind.' }),
  expiresAt: Time,
  address: Type.String({ description: 'Address of the client that signed in.' }),
  userAgent: Type.String(),
});
export type ListedSession = Static<typeof ListedSession>;

export const ChangeMe = closed({
  name: Type.Optional(Line('line', { charsMax: 200 })),
  language: Type.Optional(
    nullable(Type.String({ maxLength: 35, description: 'A language tag, such as en or pt-BR.' })),
  ),
});

export const ChangePassword = closed({ currentPassword: Password, password: NewPassword });

export const SetUpTotp = closed({
  code: Type.Optional(
    Type.String({
      maxLength: 50,
      description: 'The code that the app shows confirms it; without one the answer has a new secret.',
    }),
  ),
  password: Type.Optional(
    Type.String({
      maxLength: 1_000,
      description: 'Needed for a new secret, unless the account has no password; ignored with a code.',
    }),
  ),
});

/** Either what goes into the app, or, once it is confirmed, the recovery codes. */
export const TotpStep = Type.Union([
  closed({
    secret: Type.String({ description: 'In base 32. No later answer has it.' }),
    uri: Type.String({ description: 'otpauth://totp/…' }),
    svg: Type.String({ description: 'A QR code of the URI.' }),
  }),
  closed({
    recoveryCodes: Type.Array(Type.String(), {
      description: 'Each signs in once in place of a code. No later answer has them.',
    }),
  }),
]);

export const RemoveTotp = closed({ password: Type.Optional(Password), code: Code });
