import Type, { type Static } from 'typebox';
import { incidentLimits, incidentTypes, updateStatuses } from '../../incidents.js';
import { Line } from '../../line.js';
import { closed, nullable, Time } from '../shared.js';

/** Limits of templates. Characters are UTF-16 code units. */
export const templateLimits = {
  perPage: 100,
  nameChars: 100,
  /** Prepared updates of a template. */
  updates: 20,
} as const;

const { titleChars, textChars } = incidentLimits;

/** No text is a text to be: a person fills it in. */
const title = Type.String({ maxLength: titleChars });
const sentTitle = Line('titleOrNothing', { charsMax: titleChars });
const text = Type.String({ maxLength: textChars, description: 'Markdown.' });

/** Texts by language, with titles of the schema. */
const textsWith = (titleSchema: Type.TString) =>
  Type.Record(
    Type.String(),
    closed({
      title: Type.Optional(titleSchema),
      summary: Type.Optional(text),
      updates: Type.Optional(
        Type.Array(nullable(text), {
          maxItems: templateLimits.updates,
          description: 'In the order of the updates; null is one without a translation.',
        }),
      ),
    }),
    { description: 'Translations by people, by language of the page; without its default language.' },
  );

const fields = {
  name: Type.String({
    minLength: 1,
    maxLength: templateLimits.nameChars,
    description: 'What people choose it by; readers of the page never see it.',
  }),
  type: Type.Enum([...incidentTypes]),
  title,
  summary: text,
  monitorSlugs: Type.Array(Type.String(), { maxItems: incidentLimits.monitorSlugs }),
  updates: Type.Array(closed({ status: Type.Enum([...updateStatuses]), body: text }), {
    maxItems: templateLimits.updates,
    description: 'Prepared updates, in the order in which they are usually posted.',
  }),
  texts: textsWith(title),
};

/** A template that incidents or maintenance begin from. */
export const Template = closed({
  slug: Type.String(),
  ...fields,
  createdAt: Time,
  updatedAt: Time,
});
export type Template = Static<typeof Template>;

/** The body that creates or replaces a template. */
export const PutTemplate = closed({
  slug: Type.Optional(Type.String({ description: 'That of the path.' })),
  name: fields.name, // The verb checks it: one that is stored stays.
  type: Type.Optional(Type.Enum([...incidentTypes], { default: 'incident' })),
  title: Type.Optional(sentTitle),
  summary: Type.Optional(text),
  monitorSlugs: Type.Optional(
    Type.Array(Type.String(), {
      maxItems: incidentLimits.monitorSlugs,
      description: 'Slugs of monitors of the page; any other is refused.',
    }),
  ),
  updates: Type.Optional(fields.updates),
  texts: Type.Optional(textsWith(sentTitle)),
});
export type PutTemplate = Static<typeof PutTemplate>;
