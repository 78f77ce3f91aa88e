import type { Texts } from '../../../texts.js';

const en = {
  title: 'Postmortem',
  none: 'None yet. It tells readers what happened, and what keeps it from happening again.',
  write: 'Write a postmortem',
  edit: 'Edit the postmortem',
  why: 'It stands on the page of the incident and in feeds. Nobody is notified.',
  body: 'What happened, and what you learned',
  bodyIn: (language: string) => `The same in ${language}; empty to leave it to the machine`,
  publish: 'Publish the postmortem',
  published: 'The postmortem is published',
  changed: 'Somebody else has changed it meanwhile. Copy your text, and open it again.',
  delete: 'Delete',
  deleted: 'The postmortem is deleted',
  notDeleted: 'The postmortem could not be deleted.',
  notRestored: 'The postmortem could not be brought back.',
};

const de: typeof en = {
  title: 'Nachbetrachtung',
  none: 'Noch keine. Sie sagt, was geschehen ist und was es künftig verhindert.',
  write: 'Nachbetrachtung schreiben',
  edit: 'Nachbetrachtung bearbeiten',
  why: 'Sie steht auf der Seite der Störung und in den Feeds. Niemand wird benachrichtigt.',
  body: 'Was geschehen ist und was Sie gelernt haben',
  bodyIn: (language: string) => `Dasselbe auf ${language}; leer, damit die Maschine übersetzt`,
  publish: 'Nachbetrachtung veröffentlichen',
  published: 'Die Nachbetrachtung ist veröffentlicht',
  changed: 'Jemand hat sie inzwischen geändert. Kopieren Sie Ihren Text und öffnen Sie sie neu.',
  delete: 'Löschen',
  deleted: 'Die Nachbetrachtung ist gelöscht',
  notDeleted: 'Die Nachbetrachtung konnte nicht gelöscht werden.',
  notRestored: 'Die Nachbetrachtung konnte nicht zurückgeholt werden.',
};

export const postmortemTexts: Texts<typeof en> = { en, de };
