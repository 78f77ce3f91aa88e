import Type, { type Static } from 'typebox';
import { incidentLimits, incidentTypes, updateStatuses } from '../../incidents.js';
import { Line } from '../../line.js';
import { closed, nullable } from '../shared.js';

const { titleChars, textChars, monitorSlugs } = incidentLimits;
const title = Line('titleOrNothing', { charsMax: titleChars });
const text = Type.String({ maxLength: textChars, description: 'Markdown.' });
const time = Type.String({ description: 'ISO-8601.' });

/** An incident as far as it is written. */
export const PreviewIncident = closed({
  language: Type.String({ description: 'One of the languages of the page.' }),
  incidentId: Type.Optional(
    Type.String({
      format: 'uuid',
      description:
        'The incident that the draft changes, or adds an update to. What is absent is as it is there.',
    }),
  ),
  type: Type.Optional(Type.Enum([...incidentTypes])),
  title: Type.Optional(title),
  summary: Type.Optional(text),
  monitorSlugs: Type.Optional(
    Type.Array(Type.String(), {
      maxItems: monitorSlugs,
      description: 'Slugs without a monitor of the page are ignored.',
    }),
  ),
  startedAt: Type.Optional(time),
  scheduledEndAt: Type.Optional(nullable(time)),
  update: Type.Optional(closed({ status: Type.Enum([...updateStatuses]), body: text })),
  texts: Type.Optional(
    Type.Record(
      Type.String(),
      closed({
        title: Type.Optional(title),
        summary: Type.Optional(text),
        body: Type.Optional(Type.String({ maxLength: textChars, description: 'Of the update.' })),
      }),
      { description: 'Translations by people, by language.' },
    ),
  ),
});
export type PreviewIncident = Static<typeof PreviewIncident>;

const translated = nullable(
  Type.Enum(['machine', 'person', 'none'], {
    description:
      'Who translated the text; none while nobody has. null for the default language, and for no text.',
  }),
);

/** The documents that readers would get. */
export const IncidentPreview = closed({
  language: Type.String(),
  translated: closed({ title: translated, summary: translated, update: translated }),
  page: closed({ html: Type.String({ description: 'The page of the incident, as a whole document.' }) }),
  mail: closed({
    subject: Type.String(),
    html: Type.String({ description: 'A whole document.' }),
    text: Type.String({ description: 'The same for programs that show no HTML.' }),
  }),
});
export type IncidentPreview = Static<typeof IncidentPreview>;
