import type { Texts } from '../../../texts.js';

const en = {
  title: 'Languages',
  why: 'Readers get the page in the first of their browser’s languages that the page has.',
  list: 'Languages of the page',
  isDefault: 'default',
  makeDefault: (name: string) => `Make ${name} the default`,
  remove: (name: string) => `Remove ${name}`,
  add: 'Add a language',
  addWhy: 'A tag such as fr, pt-BR or ja.',
  addButton: 'Add',
  noTag: 'This is not a language tag. Enter one such as fr or pt-BR.',
  known: 'The page has this language already.',
  last: 'The default language stays. Make another one the default first.',
  zone: 'Time zone',
  zoneWhy: 'Maintenance is planned by the clock of this place.',
  whatHappens: 'What happens to texts',
  added:
    'When you add a language, missing texts are translated by machine, where a translator is set up, and marked as such. Until then readers get them in the default language.',
  removed:
    'When you remove a language, its texts are kept, and return when you add it again. Its readers get the default language, their emails too.',
  defaults:
    'The default language is the one in which people write incidents. It is fixed once the page has monitors or incidents.',
  labels: { languages: 'Languages of the page', defaultLanguage: 'Default language', timeZone: 'Time zone' },
};

const de: typeof en = {
  title: 'Sprachen',
  why: 'Leser bekommen die Seite in der ersten Sprache ihres Browsers, die sie hat.',
  list: 'Sprachen der Seite',
  isDefault: 'Standard',
  makeDefault: (name: string) => `${name} zum Standard machen`,
  remove: (name: string) => `${name} entfernen`,
  add: 'Sprache hinzufügen',
  addWhy: 'Ein Kürzel wie fr, pt-BR oder ja.',
  addButton: 'Hinzufügen',
  noTag: 'Das ist kein Kürzel einer Sprache. Geben Sie eines wie fr oder pt-BR ein.',
  known: 'Die Seite hat diese Sprache schon.',
  last: 'Die Standardsprache bleibt. Machen Sie zuerst eine andere zum Standard.',
  zone: 'Zeitzone',
  zoneWhy: 'Wartungen werden nach der Uhr dieses Ortes geplant.',
  whatHappens: 'Was mit Texten geschieht',
  added:
    'Eine neue Sprache: Fehlende Texte werden maschinell übersetzt, wenn ein Übersetzer eingerichtet ist, und so gekennzeichnet. Bis dahin bekommen Leser sie in der Standardsprache.',
  removed:
    'Eine entfernte Sprache: Ihre Texte bleiben erhalten und sind wieder da, wenn Sie die Sprache wieder hinzufügen. Ihre Leser bekommen die Standardsprache, auch in E-Mails.',
  defaults:
    'In der Standardsprache schreiben die Betreiber ihre Meldungen. Sie steht fest, sobald die Seite Monitore oder Störungen hat.',
  labels: { languages: 'Sprachen der Seite', defaultLanguage: 'Standardsprache', timeZone: 'Zeitzone' },
};

export const languagesTexts: Texts<typeof en> = { en, de };
