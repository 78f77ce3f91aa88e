import type { Texts } from '../../texts.js';

const en = {
  title: 'Set up this page',
  complete: 'This page is set up',
  progress: (done: number, all: number) => `${done} of ${all} steps are done`,
  next: (step: string) => `Next: ${step}`,
  show: 'Show the steps',
  hide: 'Hide the steps',
  dismiss: 'Dismiss',
  ownPage: 'Create another page, under a name of your own',
  actions: {
    page: 'Create the page',
    monitor: 'Create a monitor',
    ingestKey: 'Make an ingest key',
    event: 'Send one from this browser',
    subscriber: 'Add a subscriber',
    host: 'Set the host name',
  },
  keyName: 'First service',
  otherKey: 'Make a key to try it',
  keyOnce: 'The key is shown only now. Keep it where you keep secrets.',
  keyLabel: 'the ingest key',
  environment: 'Environment file',
  sent: 'The event is sent',
  guide: 'More in',
  done: 'done',
  doneNow: (step: string) => `Done: ${step}`,
  waiting: 'Waiting for the first event …',
  arrived: 'The first event has arrived.',
  unread: 'Events count, but not all of them is read:',
  steps: {
    page: { title: 'Create the page', why: 'It has an address, and a place for everything below.' },
    monitor: {
      title: 'Watch something',
      why: 'A monitor checks your site every minute, and its state shows on the public page.',
    },
    ingestKey: {
      title: 'Make a key for your services',
      why: 'Services send their requests with it. The key is shown only once: keep it as INGEST_KEY.',
    },
    event: {
      title: 'Send the first event',
      why: 'An event is one request that a service has answered. This step turns green as soon as it arrives.',
    },
    subscriber: {
      title: 'Add a subscriber',
      why: 'Subscribers get an email for each incident. Each address has to confirm first.',
    },
    host: {
      title: 'Use a host name of your own',
      why: 'Readers find the page there, once its DNS record leads to this service.',
    },
  },
};

const de: typeof en = {
  title: 'Diese Seite einrichten',
  complete: 'Diese Seite ist eingerichtet',
  progress: (done, all) => `${done} von ${all} Schritten sind erledigt`,
  next: (step) => `Als Nächstes: ${step}`,
  show: 'Schritte zeigen',
  hide: 'Schritte verbergen',
  dismiss: 'Ausblenden',
  ownPage: 'Eine weitere Seite unter eigenem Namen anlegen',
  actions: {
    page: 'Seite anlegen',
    monitor: 'Monitor anlegen',
    ingestKey: 'Schlüssel für Ereignisse anlegen',
    event: 'Eines aus diesem Browser senden',
    subscriber: 'Abonnenten hinzufügen',
    host: 'Hostnamen festlegen',
  },
  keyName: 'Erster Dienst',
  otherKey: 'Schlüssel zum Ausprobieren anlegen',
  keyOnce: 'Der Schlüssel wird nur jetzt gezeigt. Bewahren Sie ihn bei Ihren Geheimnissen auf.',
  keyLabel: 'den Schlüssel',
  environment: 'Umgebungsdatei',
  sent: 'Das Ereignis ist gesendet',
  guide: 'Mehr in',
  done: 'erledigt',
  doneNow: (step) => `Erledigt: ${step}`,
  waiting: 'Wartet auf das erste Ereignis …',
  arrived: 'Das erste Ereignis ist angekommen.',
  unread: 'Ereignisse werden gezählt, aber nicht vollständig gelesen:',
  steps: {
    page: { title: 'Seite anlegen', why: 'Sie hat eine Adresse und einen Platz für alles Weitere.' },
    monitor: {
      title: 'Etwas überwachen',
      why: 'Ein Monitor prüft Ihre Website jede Minute; ihr Zustand erscheint auf der öffentlichen Seite.',
    },
    ingestKey: {
      title: 'Schlüssel für Ihre Dienste anlegen',
      why: 'Dienste senden damit ihre Anfragen. Er wird nur einmal gezeigt: Bewahren Sie ihn als INGEST_KEY auf.',
    },
    event: {
      title: 'Das erste Ereignis senden',
      why: 'Ein Ereignis ist eine Anfrage, die ein Dienst beantwortet hat. Dieser Schritt wird grün, sobald es ankommt.',
    },
    subscriber: {
      title: 'Abonnenten hinzufügen',
      why: 'Abonnenten bekommen zu jeder Störung eine E-Mail. Diese Adresse wird zuerst um Bestätigung gebeten.',
    },
    host: {
      title: 'Eigenen Hostnamen verwenden',
      why: 'Leser finden die Seite dort, sobald ihr DNS-Eintrag zu diesem Dienst führt.',
    },
  },
};

export const checklistTexts: Texts<typeof en> = { en, de };
