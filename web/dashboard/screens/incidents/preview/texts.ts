import type { Texts } from '../../../texts.js';

const en = {
  as: 'Show it as',
  kinds: { page: 'Page', mail: 'Email', text: 'Plain text' },
  language: 'Language',
  width: 'Width',
  widths: { wide: 'Wide', phone: 'Phone' },
  frames: { page: 'Preview of the page', mail: 'Preview of the email', text: 'Preview of the plain text' },
  subject: 'Subject',
  parts: { title: 'Title', summary: 'Summary', update: 'Update' },
  machine: (parts: string) => `Translated by a machine: ${parts}. Write your own translation to replace it.`,
  none: (parts: string, language: string) =>
    `Not translated yet: ${parts}. Readers get the text in ${language} until there is a translation.`,
  person: 'Every text is translated by a person.',
  links: 'Links do nothing in a preview.',
};

const de: typeof en = {
  as: 'Ansicht',
  kinds: { page: 'Seite', mail: 'E-Mail', text: 'Nur Text' },
  language: 'Sprache',
  width: 'Breite',
  widths: { wide: 'Breit', phone: 'Telefon' },
  frames: { page: 'Vorschau der Seite', mail: 'Vorschau der E-Mail', text: 'Vorschau des reinen Textes' },
  subject: 'Betreff',
  parts: { title: 'Titel', summary: 'Zusammenfassung', update: 'Update' },
  machine: (parts) =>
    `Maschinell übersetzt: ${parts}. Schreiben Sie eine eigene Übersetzung, um sie zu ersetzen.`,
  none: (parts, language) =>
    `Noch nicht übersetzt: ${parts}. Bis es eine Übersetzung gibt, steht dort der Text auf ${language}.`,
  person: 'Alle Texte hat ein Mensch übersetzt.',
  links: 'Links führen in einer Vorschau nirgendwohin.',
};

export const previewTexts: Texts<typeof en> = { en, de };
