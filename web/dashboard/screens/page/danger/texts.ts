import type { Texts } from '../../../texts.js';

const en = {
  monitoring: 'Monitoring',
  monitoringOn: 'The monitors of the page are checked.',
  monitoringOff: 'Monitoring is paused: no monitor of the page is checked.',
  pause: 'Pause all monitoring',
  pauseWhy:
    'While it is paused, no monitor is checked, nothing opens an incident by itself, and the page shows its services as paused. That time counts neither as uptime nor as downtime.',
  resume: 'Resume monitoring',
  paused: 'Monitoring is paused.',
  resumed: 'Monitoring goes on.',
  remove: 'Delete the page',
  removeWhy: 'For good. There is no undo, and no backup in the service.',
  removeTitle: (name: string) => `Delete ${name} for good`,
  goes: 'What goes with it:',
  readers: (host: string) => `the page at ${host}, its feeds, badges and widgets`,
  data: 'its incidents, maintenance, uptime and traffic',
  monitors: (count: string) => `its monitors: ${count}`,
  subscribers: (count: string) => `its subscribers, who get no email about it: ${count}`,
  keys: 'its keys at once: programs that send data are refused',
  people: 'the roles of its people; their accounts stay',
  typed: (slug: string) => `Type ${slug} to confirm`,
  wrong: 'This is not the short name of the page.',
  action: 'Delete for good',
};

const de: typeof en = {
  monitoring: 'Überwachung',
  monitoringOn: 'Die Monitore der Seite werden geprüft.',
  monitoringOff: 'Die Überwachung ist angehalten: Kein Monitor der Seite wird geprüft.',
  pause: 'Gesamte Überwachung anhalten',
  pauseWhy:
    'Solange sie angehalten ist, wird kein Monitor geprüft, nichts meldet von selbst eine Störung, und die Seite zeigt ihre Dienste als angehalten. Die Verfügbarkeit hat für die Zeit eine Lücke und keinen Ausfall.',
  resume: 'Überwachung fortsetzen',
  paused: 'Die Überwachung ist angehalten.',
  resumed: 'Die Überwachung geht weiter.',
  remove: 'Seite löschen',
  removeWhy: 'Endgültig. Es lässt sich nicht zurücknehmen, und der Dienst hat keine Sicherung.',
  removeTitle: (name: string) => `${name} endgültig löschen`,
  goes: 'Das verschwindet mit ihr:',
  readers: (host: string) => `die Seite unter ${host}, ihre Feeds, Abzeichen und Widgets`,
  data: 'ihre Störungen, Wartungen, Verfügbarkeit und ihr Verkehr',
  monitors: (count: string) => `ihre Monitore: ${count}`,
  subscribers: (count: string) => `ihre Abonnenten, ohne Nachricht: ${count}`,
  keys: 'ihre Schlüssel sofort: Programme, die Daten senden, werden abgewiesen',
  people: 'die Rollen ihrer Personen; deren Konten bleiben',
  typed: (slug: string) => `Geben Sie zur Bestätigung ${slug} ein`,
  wrong: 'Das ist nicht der Kurzname der Seite.',
  action: 'Endgültig löschen',
};

export const dangerTexts: Texts<typeof en> = { en, de };
