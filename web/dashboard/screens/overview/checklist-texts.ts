import type { Texts } from '../../texts.js';

const en = {
  title: 'Set up this page',
  complete: 'This page is set up',
  progress: (done: number, all: number) => `${done} of ${all} steps are done`,
  next: (step: string) => `Next: ${step}`,
  show: 'Show the steps',
  hide: 'Hide the steps',
  dismiss: 'Dismiss',
  where: 'Run the commands in the folder of the service, or anywhere with HEARTLINE_URL and HEARTLINE_KEY.',
  guide: 'More in',
  done: 'done',
  doneNow: (step: string) => `Done: ${step}`,
  waiting: 'Waits for the first event …',
  arrived: 'The first event has arrived.',
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
      why: 'Subscribers get an email for each incident. This address is asked to confirm first.',
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
  where:
    'Führen Sie die Befehle im Ordner des Dienstes aus, oder irgendwo mit HEARTLINE_URL und HEARTLINE_KEY.',
  guide: 'Mehr in',
  done: 'erledigt',
  doneNow: (step) => `Erledigt: ${step}`,
  waiting: 'Wartet auf das erste Ereignis …',
  arrived: 'Das erste Ereignis ist angekommen.',
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
      why: 'Abonnenten bekommen zu jedem Vorfall eine E-Mail. Diese Adresse wird zuerst um Bestätigung gebeten.',
    },
    host: {
      title: 'Eigenen Hostnamen verwenden',
      why: 'Leser finden die Seite dort, sobald ihr DNS-Eintrag zu diesem Dienst führt.',
    },
  },
};

export const checklistTexts: Texts<typeof en> = { en, de };
