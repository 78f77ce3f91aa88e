import Type, { type Static } from 'typebox';

export const embedStates = [
  'up',
  'degraded',
  'partial',
  'down',
  'incident',
  'maintenance',
  'paused',
  'unknown',
] as const;

export const embedThemes = ['auto', 'light', 'dark'] as const;
export type EmbedTheme = (typeof embedThemes)[number];

const language = Type.Optional(
  Type.String({
    description:
      'Language tag. The default language of the page takes its place when the page does not publish it.',
  }),
);

export const EmbedStateParameters = Type.Object({ language });
export const EmbedPageParameters = Type.Object({
  language,
  theme: Type.Optional(
    Type.Enum([...embedThemes], { default: 'auto', description: 'Colours of the widget.' }),
  ),
});

/** The content of the widget. */
export const EmbedState = Type.Object(
  {
    name: Type.String({ description: 'Name of the page.' }),
    state: Type.Enum([...embedStates]),
    sentence: Type.String({ description: 'The state in words.' }),
    language: Type.String({ description: 'Language of the sentence.' }),
    incident: Type.Union([Type.String(), Type.Null()], {
      description: 'Title of the newest open incident; null when none is open.',
    }),
    url: Type.String({ description: 'URL of the page in the language.' }),
  },
  { $id: 'EmbedState' },
);
export type EmbedState = Static<typeof EmbedState>;
