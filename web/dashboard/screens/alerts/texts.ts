import type { Texts } from '../../texts.js';

const en = {
  alerts: 'Alert rule',
  rule: 'Rule',
  ruleWhy:
    'Once a minute the requests of all services are counted. When too many fail with a 5xx, an incident opens by itself, and it is resolved when they no longer do.',
  newWhy: 'No rule is set, so no incident opens by itself. See below what this one would have done.',
  threshold: 'Failed requests',
  thresholdWhy: 'An incident opens at this share or above.',
  percent: '%',
  window: 'Counted over',
  windowWhy: 'A short window notices an outage early, a long one forgets a short peak.',
  minutes: 'minutes',
  minimum: 'Requests at least',
  minimumWhy: 'With fewer requests in the window no incident opens.',
  requests: 'requests',
  thresholdWrong: 'Must be more than 0 and at most 100.',
  windowWrong: 'Must be a whole number from 1 to 1,440.',
  minimumWrong: 'Must be a whole number of at least 1.',
  save: 'Save',
  set: 'Set this rule',
  saved: 'The rule is saved.',
  remove: 'Delete the rule',
  removeTitle: 'Delete the alert rule?',
  removeWhy: 'No incident opens by itself any more. One that the rule has opened stays open.',
  removed: 'The rule is deleted.',
  open: 'The rule has opened an incident that is still open.',
  openLink: 'Show the incident',
  backTest: 'The last 14 days with this rule',
  backTestWhy: 'What the rule would have done with the requests that were counted. Nothing is opened here.',
  result: (count: number, shown: string, span: string) =>
    count === 1
      ? `It would have opened 1 incident, for ${span}.`
      : `It would have opened ${shown} incidents, for ${span} in all.`,
  resultNone: 'It would have opened no incident.',
  newest: (shown: string) => `The newest ${shown} are shown.`,
  strip: (count: number, shown: string) =>
    count === 1 ? 'Time line of 14 days with 1 incident' : `Time line of 14 days with ${shown} incidents`,
  firings: 'Incidents that it would have opened',
  opened: 'Opened',
  resolved: 'Resolved',
  lasts: 'lasts',
  lasted: 'Lasted',
  counted: 'Requests in the window',
  failed: 'Failed',
  share: 'Share',
  mend: 'Correct the invalid fields to see what the rule would have done.',
};

export type AlertsTexts = typeof en;

const de: AlertsTexts = {
  alerts: 'Alarmregel',
  rule: 'Regel',
  ruleWhy:
    'Jede Minute werden die Anfragen aller Dienste gezählt. Scheitern zu viele mit 5xx, öffnet sich von selbst eine Störung, und sie wird behoben, sobald es weniger sind.',
  newWhy:
    'Keine Regel ist gesetzt, also öffnet sich keine Störung von selbst. Unten steht, was diese getan hätte.',
  threshold: 'Gescheiterte Anfragen',
  thresholdWhy: 'Ab diesem Anteil öffnet sich eine Störung.',
  percent: '%',
  window: 'Gezählt über',
  windowWhy: 'Ein kurzes Fenster bemerkt einen Ausfall früh, ein langes übergeht eine kurze Spitze.',
  minutes: 'Minuten',
  minimum: 'Mindestens',
  minimumWhy: 'Bei weniger Anfragen im Fenster öffnet sich keine Störung.',
  requests: 'Anfragen',
  thresholdWrong: 'Muss über 0 und höchstens 100 sein.',
  windowWrong: 'Muss eine ganze Zahl von 1 bis 1.440 sein.',
  minimumWrong: 'Muss eine ganze Zahl ab 1 sein.',
  save: 'Speichern',
  set: 'Diese Regel setzen',
  saved: 'Die Regel ist gespeichert.',
  remove: 'Regel löschen',
  removeTitle: 'Die Alarmregel löschen?',
  removeWhy: 'Es öffnet sich keine Störung mehr von selbst. Eine, die die Regel geöffnet hat, bleibt offen.',
  removed: 'Die Regel ist gelöscht.',
  open: 'Die Regel hat eine Störung geöffnet, die andauert.',
  openLink: 'Störung zeigen',
  backTest: 'Die letzten 14 Tage mit dieser Regel',
  backTestWhy: 'Was die Regel mit den gezählten Anfragen getan hätte. Hier wird nichts geöffnet.',
  result: (count, shown, span) =>
    count === 1
      ? `Sie hätte 1 Störung geöffnet, für ${span}.`
      : `Sie hätte ${shown} Störungen geöffnet, für zusammen ${span}.`,
  resultNone: 'Sie hätte keine Störung geöffnet.',
  newest: (shown) => `Gezeigt werden die neuesten ${shown}.`,
  strip: (count, shown) =>
    count === 1 ? 'Zeitleiste von 14 Tagen mit 1 Störung' : `Zeitleiste von 14 Tagen mit ${shown} Störungen`,
  firings: 'Störungen, die sie geöffnet hätte',
  opened: 'Geöffnet',
  resolved: 'Behoben',
  lasts: 'dauert an',
  lasted: 'Dauer',
  counted: 'Anfragen im Fenster',
  failed: 'Gescheitert',
  share: 'Anteil',
  mend: 'Korrigieren Sie die ungültigen Felder, um zu sehen, was die Regel getan hätte.',
};

export const alertsTexts = { en, de } satisfies Texts<unknown>;
