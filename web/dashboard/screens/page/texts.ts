import type { Texts } from '../../texts.js';

const en = {
  open: 'Open the page',
  parts: {
    looks: 'Looks',
    order: 'Groups and order',
    languages: 'Languages',
    address: 'Address',
    readers: 'Readers',
    badges: 'Badges and embeds',
    danger: 'Danger zone',
  },
  undone: 'The settings are as before.',
  notUndone: 'This could not be undone: the settings have changed since, or the service does not answer.',
};

const de: typeof en = {
  open: 'Seite öffnen',
  parts: {
    looks: 'Aussehen',
    order: 'Gruppen und Reihenfolge',
    languages: 'Sprachen',
    address: 'Adresse',
    readers: 'Leser',
    badges: 'Abzeichen und Einbettung',
    danger: 'Gefahrenzone',
  },
  undone: 'Die Einstellungen sind wieder wie vorher.',
  notUndone:
    'Das ließ sich nicht zurücknehmen: Die Einstellungen haben sich seither geändert, oder der Dienst antwortet nicht.',
};

export const pageTexts: Texts<typeof en> = { en, de };
