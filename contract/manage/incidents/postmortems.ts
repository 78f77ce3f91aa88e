import Type, { type Static } from 'typebox';
import { closed, nullable, Time } from '../shared.js';

/** Characters are UTF-16 code units. */
export const postmortemLimits = { bodyChars: 40_000 } as const;

const body = Type.String({
  minLength: 1,
  maxLength: postmortemLimits.bodyChars,
  description: "In the page's default language; Markdown.",
});

/** The lessons of an incident that is over. */
export const Postmortem = closed({
  body,
  publishedAt: Time,
  correctedAt: nullable(Time),
  texts: Type.Record(
    Type.String(),
    closed({ text: Type.String(), translated: Type.Enum(['machine', 'person']) }),
    { description: 'Translations, by language; languages without one are absent.' },
  ),
});
export type Postmortem = Static<typeof Postmortem>;

export const PutPostmortem = closed({
  body,
  texts: Type.Optional(
    Type.Record(Type.String(), Type.String({ minLength: 1, maxLength: postmortemLimits.bodyChars }), {
      description:
        'Translations by people, by language of the page besides its default one. The machine translates the rest.',
    }),
  ),
});
export type PutPostmortem = Static<typeof PutPostmortem>;
