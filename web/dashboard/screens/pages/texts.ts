import type { Texts } from '../../texts.js';

export const pagesTexts = {
  en: {
    title: 'Pages',
    find: 'Find a page',
    none: 'You have no page yet',
    noneWhy: 'Ask somebody who runs a page to invite you.',
    noneAdmin: 'Create the first one with:',
    noMatch: 'No page has this name.',
    opens: (name: string) => `: the public page of ${name}`,
    roles: { viewer: 'Viewer', responder: 'Responder', editor: 'Editor', owner: 'Owner', none: 'Admin' },
  },
  de: {
    title: 'Seiten',
    find: 'Seite suchen',
    none: 'Sie haben noch keine Seite',
    noneWhy: 'Bitten Sie jemanden, der eine Seite betreibt, Sie einzuladen.',
    noneAdmin: 'Legen Sie die erste an:',
    noMatch: 'Keine Seite heißt so.',
    opens: (name: string) => `: die öffentliche Seite von ${name}`,
    roles: {
      viewer: 'Betrachter',
      responder: 'Bearbeiter von Vorfällen',
      editor: 'Redakteur',
      owner: 'Inhaber',
      none: 'Admin',
    },
  },
} satisfies Texts<unknown>;
