import Type, { type Static } from 'typebox';
import { closed } from './shared.js';

const PersonName = Type.Optional(
  Type.String({
    description:
      'What a person is called, also one who was deleted; absent for others and where nobody knows.',
  }),
);

/** Fields of who made a change. */
export const actorFields = {
  type: Type.Enum(['user', 'key', 'cli', 'job', 'channel']),
  id: Type.String(),
  name: Type.String({
    description: 'Email of a user, name of a key, a job or a channel, login name at the shell.',
  }),
  personName: PersonName,
};

const Actor = closed(actorFields);
export type Actor = Static<typeof Actor>;

/** Fields of what a change was made to. */
export const targetFields = {
  type: Type.String(),
  id: Type.String(),
  name: Type.String(),
  personName: PersonName,
};
