import type { Texts } from '../../../texts.js';

const en = {
  edit: 'Edit',
  pause: 'Pause',
  resume: 'Resume',
  more: 'More actions',
  duplicate: 'Duplicate',
  delete: 'Delete',
  paused: (name: string) => `${name} is paused.`,
  resumed: (name: string) => `${name} is checked again within a minute.`,
  notChanged: (name: string) => `${name} could not be changed. Try again in a moment.`,
  deleted: (name: string) => `${name} is deleted.`,
  deleteTitle: (name: string) => `Delete ${name}?`,
  deleteTitleMany: (count: string) => `Delete ${count} monitors?`,
  deleteWhy:
    'It leaves the status page and all incidents, with its history, its badge and its figures. Nothing brings them back. To stop the checks for a while, pause it instead.',
  deleteWhyMany:
    'They leave the status page and all incidents, with their history, badges and figures. Nothing brings them back. To stop the checks for a while, pause them instead.',
  deleteHeartbeat: 'The job that calls its address gets 404 from then on.',
  move: 'Move to group',
  noGroup: 'No group',
  andMore: (count: string) => `and ${count} more`,
  chosenRegion: 'Chosen monitors',
  chosen: (count: string) => (count === '1' ? '1 monitor chosen' : `${count} monitors chosen`),
  clear: 'Choose none',
  doing: (done: string, all: string) => `${done} of ${all} done …`,
  done: {
    pause: (count: string) => (count === '1' ? '1 monitor is paused.' : `${count} monitors are paused.`),
    resume: (count: string) =>
      count === '1' ? '1 monitor is checked again.' : `${count} monitors are checked again.`,
    delete: (count: string) => (count === '1' ? '1 monitor is deleted.' : `${count} monitors are deleted.`),
    move: (count: string) => (count === '1' ? '1 monitor has moved.' : `${count} monitors have moved.`),
  },
  failed: {
    pause: (count: string) => `${count} could not be paused:`,
    resume: (count: string) => `${count} could not be resumed:`,
    delete: (count: string) => `${count} could not be deleted:`,
    move: (count: string) => `${count} could not be moved:`,
  },
  noAnswer: 'the service does not answer',
  retry: 'Try these again',
  close: 'Close',
};

const de: typeof en = {
  edit: 'Bearbeiten',
  pause: 'Pausieren',
  resume: 'Fortsetzen',
  more: 'Weitere Aktionen',
  duplicate: 'Duplizieren',
  delete: 'Löschen',
  paused: (name: string) => `${name} ist pausiert.`,
  resumed: (name: string) => `${name} wird binnen einer Minute wieder geprüft.`,
  notChanged: (name: string) => `${name} ließ sich nicht ändern. Versuchen Sie es gleich noch einmal.`,
  deleted: (name: string) => `${name} ist gelöscht.`,
  deleteTitle: (name: string) => `${name} löschen?`,
  deleteTitleMany: (count: string) => `${count} Monitore löschen?`,
  deleteWhy:
    'Er verschwindet von der Statusseite und aus allen Störungen, mit Verlauf, Badge und Zahlen. Nichts bringt sie zurück. Um die Prüfungen nur eine Weile anzuhalten, pausieren Sie ihn.',
  deleteWhyMany:
    'Sie verschwinden von der Statusseite und aus allen Störungen, mit Verlauf, Badges und Zahlen. Nichts bringt sie zurück. Um die Prüfungen nur eine Weile anzuhalten, pausieren Sie sie.',
  deleteHeartbeat: 'Der Job, der seine Adresse aufruft, bekommt dann 404.',
  move: 'In Gruppe verschieben',
  noGroup: 'Keine Gruppe',
  andMore: (count: string) => `und ${count} weitere`,
  chosenRegion: 'Gewählte Monitore',
  chosen: (count: string) => (count === '1' ? '1 Monitor gewählt' : `${count} Monitore gewählt`),
  clear: 'Keinen wählen',
  doing: (done: string, all: string) => `${done} von ${all} erledigt …`,
  done: {
    pause: (count: string) =>
      count === '1' ? '1 Monitor ist pausiert.' : `${count} Monitore sind pausiert.`,
    resume: (count: string) =>
      count === '1' ? '1 Monitor wird wieder geprüft.' : `${count} Monitore werden wieder geprüft.`,
    delete: (count: string) =>
      count === '1' ? '1 Monitor ist gelöscht.' : `${count} Monitore sind gelöscht.`,
    move: (count: string) =>
      count === '1' ? '1 Monitor ist verschoben.' : `${count} Monitore sind verschoben.`,
  },
  failed: {
    pause: (count: string) => `${count} nicht pausiert:`,
    resume: (count: string) => `${count} nicht fortgesetzt:`,
    delete: (count: string) => `${count} nicht gelöscht:`,
    move: (count: string) => `${count} nicht verschoben:`,
  },
  noAnswer: 'der Dienst antwortet nicht',
  retry: 'Diese noch einmal versuchen',
  close: 'Schließen',
};

export const monitorChangeTexts: Texts<typeof en> = { en, de };
