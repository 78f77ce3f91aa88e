import type { Texts } from '../../../texts.js';

const en = {
  title: 'Who may read the page',
  why: 'This holds for everything on its host: views, feeds, badges, embeds and data.',
  private: 'Private',
  privateWhy:
    'Only with the password, from an allowed address, or signed in with a role on this page. Copies that caches hold end within a minute.',
  addresses: 'Allowed addresses',
  addressesWhy:
    'Addresses and networks whose clients read a private page without a password, one on a line, such as 10.0.0.0/8.',
  metrics: 'Public metrics',
  metricsWhy: 'Prometheus reads the state of the monitors at /api/public/…/metrics on the host of the page.',
  on: 'on',
  off: 'off',
  password: 'Password for readers',
  newPassword: 'New password',
  passwordThere: 'There is one. A new one ends what was opened with the old one.',
  passwordMissing: 'There is none yet.',
  passwordWhy: 'One for all readers of a private page. It is stored as a hash, and nobody sees it again.',
  passwordShort: (chars: number) => `At least ${chars} characters.`,
  setPassword: 'Set the password',
  replace: 'Replace the password',
  remove: 'Remove the password',
  set: 'The password is set',
  removed: 'The password is removed',
};

const de: typeof en = {
  title: 'Wer die Seite lesen darf',
  why: 'Das gilt für alles auf ihrem Host: Ansichten, Feeds, Abzeichen, Einbettungen und Daten.',
  private: 'Privat',
  privateWhy:
    'Nur mit dem Passwort, von einer erlaubten Adresse oder angemeldet mit einer Rolle auf dieser Seite. Kopien in Caches enden binnen einer Minute.',
  addresses: 'Erlaubte Adressen',
  addressesWhy:
    'Adressen und Netze, von denen aus eine private Seite ohne Passwort lesbar ist, je Zeile eine, etwa 10.0.0.0/8.',
  metrics: 'Öffentliche Metriken',
  metricsWhy: 'Prometheus liest den Zustand der Monitore unter /api/public/…/metrics auf dem Host der Seite.',
  on: 'an',
  off: 'aus',
  password: 'Passwort für Leser',
  newPassword: 'Neues Passwort',
  passwordThere: 'Es gibt eines. Ein neues beendet, was mit dem alten geöffnet wurde.',
  passwordMissing: 'Es gibt noch keines.',
  passwordWhy:
    'Eines für alle Leser einer privaten Seite. Gespeichert wird ein Hash; niemand sieht es wieder.',
  passwordShort: (chars: number) => `Mindestens ${chars} Zeichen.`,
  setPassword: 'Passwort setzen',
  replace: 'Passwort ersetzen',
  remove: 'Passwort entfernen',
  set: 'Das Passwort ist gesetzt',
  removed: 'Das Passwort ist entfernt',
};

export const readersTexts: Texts<typeof en> = { en, de };
