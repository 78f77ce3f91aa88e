import Type, { type Static } from 'typebox';
import { closed, Id, Time } from './shared.js';

export const queryLimits = {
  nameChars: 100,
  /** As many as a statement may have in bytes. */
  sqlChars: 64 * 1024,
  /** Shared queries of a page, and the own ones of each person there. */
  perOwner: 200,
  /** Room for a statement in which every character is escaped. */
  bodyBytes: 512 * 1024,
} as const;

const isShared = Type.Boolean({
  description: 'Whether everybody who may read the page sees it; else only the person who saved it.',
});

/** A saved query. */
export const SavedQuery = closed({
  id: Id,
  name: Type.String(),
  sql: Type.String(),
  isShared,
  createdAt: Time,
  updatedAt: Time,
});
export type SavedQuery = Static<typeof SavedQuery>;

/** The body that saves or replaces a query. */
export const SaveQuery = closed({
  // The verb checks it: one that is stored stays.
  name: Type.String({
    minLength: 1,
    maxLength: queryLimits.nameChars,
    description: 'Unique among the shared queries of the page, or among those of the person. In one line.',
  }),
  sql: Type.String({
    minLength: 1,
    maxLength: queryLimits.sqlChars,
    pattern: '^[^\\u0000]*$',
    description: 'A statement; it is checked when it runs.',
  }),
  isShared: Type.Optional(
    Type.Boolean({
      description:
        'Whether everybody who may read the page sees it, which needs the permission page.write. When absent, a person saves it for themselves, and a key, which has no queries of its own, for everybody.',
    }),
  ),
});
export type SaveQuery = Static<typeof SaveQuery>;
