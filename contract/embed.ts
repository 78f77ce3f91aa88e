import Type, { type Static } from 'typebox';

export const embedStates = ['up', 'down', 'incident', 'maintenance', 'paused', 'unknown'] as const;

export const embedThemes = ['auto', 'light', 'dark'] as const;
export type EmbedTheme = (typeof embedThemes)[number];

const language = Type.Optional(
  Type.String({ description: 'Language tag; the default language of the page where it has no such one.' }),
);

export const EmbedStateParameters = Type.Object({ language });
export const EmbedPageParameters = Type.Object({
  language,
  theme: Type.Optional(Type.Enum([...embedThemes], { default: 'auto' })),
});

/** What the widget shows of a page. */
export const EmbedState = Type.Object({
  name: Type.String({ description: 'Of the page.' }),
  state: Type.Enum([...embedStates]),
  sentence: Type.String({ description: 'The state in words.' }),
  language: Type.String({ description: 'Of the sentence.' }),
  incident: Type.Union([Type.String(), Type.Null()], {
    description: 'Title of the open incident, the newest of several; null when none is open.',
  }),
  url: Type.String({ description: 'Of the page, in the language.' }),
});
export type EmbedState = Static<typeof EmbedState>;
