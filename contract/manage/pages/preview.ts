import Type, { type Static } from 'typebox';
import { ChangeManagedPage } from '../pages.js';
import { closed, nullable } from '../shared.js';

const { name, accent, footerLinks, figures, logoAlone, historyDays } = ChangeManagedPage.properties;

/** The unsaved changes of a page; the rest is as it is saved. */
export const PreviewPage = closed({
  ...{ name, accent, footerLinks, figures, logoAlone, historyDays },
  language: Type.Optional(
    Type.String({ description: 'One of the languages of the page; the default one when absent.' }),
  ),
});
export type PreviewPage = Static<typeof PreviewPage>;

const Contrast = closed({
  ratio: Type.Number({
    description: 'Of the colour with the ground of the page, by the formula of WCAG, 1 to 21.',
  }),
  passes: Type.Boolean({
    description: 'Whether texts in the colour can be read, so that the page has it as it is.',
  }),
  shown: Type.String({
    description: 'The colour of the page: the same, or as much darker or lighter as needed.',
  }),
});

export const PagePreview = closed({
  language: Type.String(),
  html: Type.String({ description: 'The whole document; the logo is in it.' }),
  contrast: nullable(closed({ light: Contrast, dark: Contrast })),
});
export type PagePreview = Static<typeof PagePreview>;
