import Type, { type Static } from 'typebox';
import { aliasChars } from '../alias.js';
import { Line } from '../line.js';
import { engines } from '../observations.js';
import { closed, Id, Time } from './shared.js';

const Engine = Type.Enum([...engines], { description: 'Observations of another engine are refused.' });

/** A saved database connection, whose id observations name. How to connect is not stored. */
export const ManagedConnection = closed({
  id: Id,
  engine: Engine,
  name: Type.String(),
  createdAt: Time,
});

export type ManagedConnection = Static<typeof ManagedConnection>;

export const CreateManagedConnection = closed({
  engine: Engine,
  name: Line('line', {
    charsMax: aliasChars,
    description: 'A readable name, unique on the page: nothing that looks like a secret.',
  }),
});
