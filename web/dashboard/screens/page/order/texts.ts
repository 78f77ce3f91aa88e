import type { Texts } from '../../../texts.js';

const en = {
  title: 'Groups and order',
  why: 'The page shows its monitors in this order, under the names of their groups. Each move is saved at once.',
  ungrouped: 'Without a group',
  ungroupedWhy: 'These come first on the page, without a heading.',
  allGrouped: 'Every monitor is in a group.',
  empty: 'No monitor yet. The page leaves an empty group out.',
  none: 'No monitors yet',
  noneWhy: 'A page shows the monitors that it has. Groups put names above them.',
  createMonitor: 'Create a monitor',
  add: 'Add a group',
  up: (name: string) => `Move ${name} up`,
  down: (name: string) => `Move ${name} down`,
  groupOf: (name: string) => `Group of ${name}`,
  rename: (name: string) => `Rename the group ${name}`,
  remove: (name: string) => `Delete the group ${name}`,
  moved: (name: string, group: string, place: string, of: string) =>
    `${name} is now ${place} of ${of} in “${group}”`,
  movedGroup: (name: string, place: string, of: string) => `“${name}” is now group ${place} of ${of}`,
  undone: 'The order is as it was before',
  notUndone: 'This could not be undone: the order has changed since, or the service does not answer.',
  conflict: 'Somebody else has changed the order meanwhile. This is theirs; yours is not saved yet.',
  takeOwn: 'Save my order over it',
  takeTheirs: 'Keep theirs',
  newGroup: 'New group',
  editGroup: 'Names of the group',
  name: 'Name',
  nameWhy: 'Readers see it above the monitors of the group.',
  nameIn: (language: string) => `Name in ${language}`,
  nameInWhy: 'The name above is shown where this is empty.',
  otherNames: 'Names in other languages',
  slug: 'Slug',
  slugWhy: 'Names the group in the API and in files. It cannot be changed later.',
  slugWrong: 'It has 1 to 63 of the characters a-z, 0-9 and "-".',
  slugTaken: 'There is a group with this slug already.',
  create: 'Create the group',
  created: (name: string) => `The group “${name}” is created`,
  removeTitle: (name: string) => `Delete the group “${name}”?`,
  removeWhy: (count: number) =>
    count === 0
      ? 'It has no monitors.'
      : `Its ${count === 1 ? 'monitor stays' : `${count} monitors stay`} and move in front of the groups.`,
  removeAction: 'Delete the group',
  removed: (name: string) => `The group “${name}” is deleted`,
};

const de: typeof en = {
  title: 'Gruppen und Reihenfolge',
  why: 'Die Seite zeigt ihre Monitore in dieser Reihenfolge unter den Namen ihrer Gruppen. Jede Änderung wird sofort gespeichert.',
  ungrouped: 'Ohne Gruppe',
  ungroupedWhy: 'Diese stehen auf der Seite zuerst, ohne Überschrift.',
  allGrouped: 'Jeder Monitor ist in einer Gruppe.',
  empty: 'Noch kein Monitor. Die Seite lässt eine leere Gruppe aus.',
  none: 'Noch keine Monitore',
  noneWhy: 'Eine Seite zeigt die Monitore, die sie hat. Gruppen setzen Namen darüber.',
  createMonitor: 'Monitor anlegen',
  add: 'Gruppe hinzufügen',
  up: (name) => `${name} nach oben`,
  down: (name) => `${name} nach unten`,
  groupOf: (name) => `Gruppe von ${name}`,
  rename: (name) => `Gruppe ${name} umbenennen`,
  remove: (name) => `Gruppe ${name} löschen`,
  moved: (name, group, place, of) => `${name} steht jetzt an Stelle ${place} von ${of} in „${group}“`,
  movedGroup: (name, place, of) => `„${name}“ ist jetzt Gruppe ${place} von ${of}`,
  undone: 'Die Reihenfolge ist wieder wie zuvor',
  notUndone:
    'Das konnte nicht rückgängig gemacht werden: Die Reihenfolge wurde seitdem geändert, oder der Dienst antwortet nicht.',
  conflict:
    'Inzwischen hat jemand anders die Reihenfolge geändert. Das ist die andere; von Ihrer ist noch nichts darüber gespeichert.',
  takeOwn: 'Meine Reihenfolge darüber speichern',
  takeTheirs: 'Die andere behalten',
  newGroup: 'Neue Gruppe',
  editGroup: 'Namen der Gruppe',
  name: 'Name',
  nameWhy: 'Leser sehen ihn über den Monitoren der Gruppe.',
  nameIn: (language) => `Name auf ${language}`,
  nameInWhy: 'Ist dieses Feld leer, gilt der Name oben.',
  otherNames: 'Namen in anderen Sprachen',
  slug: 'Kürzel',
  slugWhy: 'So nennen die API und Dateien die Gruppe. Es ändert sich später nicht.',
  slugWrong: 'Es hat 1 bis 63 der Zeichen a-z, 0-9 und „-“.',
  slugTaken: 'Eine Gruppe mit diesem Kürzel gibt es schon.',
  create: 'Gruppe anlegen',
  created: (name) => `Die Gruppe „${name}“ ist angelegt`,
  removeTitle: (name) => `Gruppe „${name}“ löschen?`,
  removeWhy: (count) =>
    count === 0
      ? 'Sie hat keine Monitore.'
      : count === 1
        ? 'Ihr Monitor bleibt und steht dann vor den Gruppen.'
        : `Ihre ${count} Monitore bleiben und stehen dann vor den Gruppen.`,
  removeAction: 'Gruppe löschen',
  removed: (name) => `Die Gruppe „${name}“ ist gelöscht`,
};

export const orderTexts: Texts<typeof en> = { en, de };
