import type { Texts } from '../../../texts.js';

const en = {
  change: 'Change',
  changeOf: (person: string) => `Change the account of ${person}`,
  name: 'Name',
  admin: 'Admin of the installation',
  adminWhy: 'Runs this installation, and may do everything on every page.',
  disabled: 'Disabled',
  disabledWhy:
    'The person may not sign in, and sessions end at once. Roles are kept until the account is enabled again.',
  lastAdmin: 'The installation needs an admin. Make somebody else an admin first.',
  changed: (person: string) => `The account of ${person} has changed.`,
  reset: 'Make a link for a new password',
  removeTotp: 'Remove the authenticator app',
  delete: 'Delete the account',
  deleteTitle: (person: string) => `Delete the account of ${person}?`,
  deleteWhy:
    'The person can no longer sign in and loses every role. What the person wrote stays, with the name in the audit log. Nothing brings the account back.',
  deleted: 'The account is deleted.',
};

const de: typeof en = {
  change: 'Ändern',
  changeOf: (person) => `Konto von ${person} ändern`,
  name: 'Name',
  admin: 'Administrator der Installation',
  adminWhy: 'Betreibt diese Installation und darf auf jeder Seite alles.',
  disabled: 'Gesperrt',
  disabledWhy:
    'Die Person kann sich nicht anmelden, und Sitzungen enden sofort. Rollen bleiben, bis die Sperre endet.',
  lastAdmin: 'Die Installation behält einen Administrator. Machen Sie zuerst jemand anderen dazu.',
  changed: (person) => `Das Konto von ${person} ist geändert.`,
  reset: 'Einen Link für ein neues Passwort erstellen',
  removeTotp: 'Die Authenticator-App entfernen',
  delete: 'Konto löschen',
  deleteTitle: (person) => `Konto von ${person} löschen?`,
  deleteWhy:
    'Die Person kann sich nicht mehr anmelden und verliert jede Rolle. Geschriebenes bleibt, mit dem Namen im Änderungsprotokoll. Nichts bringt das Konto zurück.',
  deleted: 'Das Konto ist gelöscht.',
};

export const userTexts: Texts<typeof en> = { en, de };
