import type { ManagedConnection } from '../../../../contract/manage/connections.js';
import type { Texts } from '../../texts.js';

const en = {
  list: 'Database servers',
  why: 'Database servers that your programs report on. Each report names its connection by the id. Addresses and passwords stay with your programs: nothing of that is stored here.',
  add: 'Add a connection',
  none: 'No connection yet',
  noneWhy:
    'With a connection, a program can report the health of a database server: how many sessions run, wait and block.',
  name: 'Name',
  nameWhy: 'Readable and unique on the page, such as “orders primary”. No address, and nothing secret.',
  engine: 'Engine',
  engineWhy: 'Reports of another engine are refused.',
  engines: { postgresql: 'PostgreSQL', mysql: 'MySQL', mongodb: 'MongoDB' } satisfies Record<
    ManagedConnection['engine'],
    string
  >,
  id: 'Id',
  copyId: (name: string) => `Copy the id of ${name}`,
  created: 'Created',
  actions: 'Actions',
  added: (name: string) => `${name} is added. Reports name it by its id.`,
  delete: 'Delete',
  deleteOf: (name: string) => `Delete ${name}`,
  deleteTitle: (name: string) => `Delete ${name}?`,
  deleteWhy:
    'Reports that name this connection are refused at once, and its panel disappears from Databases. The id is never used again.',
  deleted: 'The connection is deleted.',
};

const de: typeof en = {
  list: 'Datenbankserver',
  why: 'Datenbankserver, über die Ihre Programme berichten. Jeder Bericht nennt seine Verbindung mit der Id. Adressen und Passwörter bleiben bei Ihren Programmen: Hier ist nichts davon gespeichert.',
  add: 'Verbindung hinzufügen',
  none: 'Noch keine Verbindung',
  noneWhy:
    'Mit einer Verbindung kann ein Programm den Zustand eines Datenbankservers melden: wie viele Sitzungen laufen, warten und blockieren.',
  name: 'Name',
  nameWhy: 'Lesbar und auf der Seite einmalig, etwa „orders primary“. Keine Adresse und nichts Geheimes.',
  engine: 'Datenbank',
  engineWhy: 'Berichte einer anderen Art werden abgewiesen.',
  engines: { postgresql: 'PostgreSQL', mysql: 'MySQL', mongodb: 'MongoDB' },
  id: 'Id',
  copyId: (name) => `Id von ${name} kopieren`,
  created: 'Angelegt',
  actions: 'Aktionen',
  added: (name) => `${name} ist hinzugefügt. Berichte nennen die Id.`,
  delete: 'Löschen',
  deleteOf: (name) => `${name} löschen`,
  deleteTitle: (name) => `${name} löschen?`,
  deleteWhy:
    'Berichte mit dieser Verbindung werden sofort abgewiesen, und ihr Feld verlässt die Ansicht der Datenbanken. Die Id kommt nie wieder.',
  deleted: 'Die Verbindung ist gelöscht.',
};

export const connectionsTexts: Texts<typeof en> = { en, de };
export type ConnectionsTexts = typeof en;
