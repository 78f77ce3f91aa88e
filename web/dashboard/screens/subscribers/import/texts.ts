import type { ImportRefusal } from '../../../../../contract/subscriber-import.js';
import type { Texts } from '../../../texts.js';

const en = {
  address: 'Address',
  language: 'Language',
  pageLanguage: 'As the page',
  importTitle: 'Import addresses',
  importWhy: (rows: string) =>
    `A CSV file with one address per line, up to ${rows} of them. Columns for the language and for the consent are found by their names.`,
  file: 'CSV file',
  fileWhy: 'The file is read in your browser. Nothing is sent before you say so.',
  tooLarge: 'The file is too large. Split it into several.',
  tooMany: (rows: string) => `The file has more than ${rows} addresses. Split it into several.`,
  noAddresses: 'No column of the file has email addresses.',
  unreadable: 'The file could not be read.',
  firstRows: 'The first rows, as they are understood',
  rowsFound: (count: number, shown: string) =>
    count === 1 ? '1 address found.' : `${shown} addresses found.`,
  line: 'Line',
  agreed: 'Has agreed',
  yes: 'yes',
  no: 'no',
  unsaid: 'not said',
  consentAsk: 'Have these people agreed to get email?',
  consentAskWhy: 'In many countries only those who have agreed may be sent email.',
  consents: {
    file: 'As the column of the file says',
    all: 'Yes, all of them have agreed',
    none: 'No: ask each of them by email to confirm',
  },
  consentMissing: 'Say whether they have agreed.',
  start: (count: string) => `Import ${count}`,
  stop: 'Stop',
  goOn: 'Go on',
  progress: (done: string, all: string) => `${done} of ${all} lines are done.`,
  another: 'Import another file',
  doneTitle: 'The import is done',
  stoppedTitle: 'The import has stopped',
  left: (done: string, all: string) =>
    `The import stopped at ${done} of ${all} lines. Import the file again for the rest.`,
  stoppedWhy: 'What is imported stays. Going on, or importing the file again, adds nobody twice.',
  counts: { added: 'Added', changed: 'Changed', unchanged: 'Unchanged', refused: 'Refused' },
  refusedRows: 'Refused lines',
  refusedWhy: 'They were left out. Download them, mend them, and import them again.',
  downloadRefused: 'Download the refused lines',
  reason: 'Reason',
  reasons: {
    invalidAddress: 'Not an email address',
    consentMissing: 'Does not say whether the person has agreed',
    unknownLanguage: 'The page is not published in this language',
    repeated: 'The address is on an earlier line',
    unsubscribed: 'The person unsubscribed',
    bounced: 'Email to the address bounced',
    tooManyUnconfirmed: 'Too many addresses wait for a confirmation',
  } satisfies Record<ImportRefusal, string>,
  toList: 'Show the addresses',
};

export type ImportTexts = typeof en;

const de: ImportTexts = {
  address: 'Adresse',
  language: 'Sprache',
  pageLanguage: 'Wie die Seite',
  importTitle: 'Adressen importieren',
  importWhy: (rows) =>
    `Eine CSV-Datei mit einer Adresse je Zeile, bis zu ${rows}. Spalten für Sprache und Zustimmung werden an ihren Namen erkannt.`,
  file: 'CSV-Datei',
  fileWhy: 'Die Datei wird in Ihrem Browser gelesen. Gesendet wird erst, wenn Sie es sagen.',
  tooLarge: 'Die Datei ist zu groß. Teilen Sie sie auf.',
  tooMany: (rows) => `Die Datei hat mehr als ${rows} Adressen. Teilen Sie sie auf.`,
  noAddresses: 'Keine Spalte der Datei enthält E-Mail-Adressen.',
  unreadable: 'Die Datei konnte nicht gelesen werden.',
  firstRows: 'Die ersten Zeilen, wie sie verstanden werden',
  rowsFound: (count, shown) => (count === 1 ? '1 Adresse gefunden.' : `${shown} Adressen gefunden.`),
  line: 'Zeile',
  agreed: 'Zugestimmt',
  yes: 'ja',
  no: 'nein',
  unsaid: 'keine Angabe',
  consentAsk: 'Haben diese Personen dem Empfang von E-Mails zugestimmt?',
  consentAskWhy: 'In vielen Ländern darf nur Leuten geschrieben werden, die zugestimmt haben.',
  consents: {
    file: 'Wie es in der Spalte der Datei steht',
    all: 'Ja, alle haben zugestimmt',
    none: 'Nein: jeden per E-Mail um Bestätigung bitten',
  },
  consentMissing: 'Geben Sie an, ob sie zugestimmt haben.',
  start: (count) => `${count} importieren`,
  stop: 'Anhalten',
  goOn: 'Fortsetzen',
  progress: (done, all) => `${done} von ${all} Zeilen sind erledigt.`,
  another: 'Andere Datei importieren',
  doneTitle: 'Der Import ist fertig',
  stoppedTitle: 'Der Import ist angehalten',
  left: (done, all) =>
    `Der Import hat bei ${done} von ${all} Zeilen aufgehört. Importieren Sie die Datei für den Rest noch einmal.`,
  stoppedWhy:
    'Was importiert ist, bleibt. Fortsetzen oder ein erneuter Import der Datei fügt niemanden doppelt hinzu.',
  counts: { added: 'Hinzugefügt', changed: 'Geändert', unchanged: 'Unverändert', refused: 'Abgelehnt' },
  refusedRows: 'Abgelehnte Zeilen',
  refusedWhy:
    'Sie wurden ausgelassen. Laden Sie sie herunter, verbessern Sie sie und importieren Sie sie erneut.',
  downloadRefused: 'Abgelehnte Zeilen herunterladen',
  reason: 'Grund',
  reasons: {
    invalidAddress: 'Keine E-Mail-Adresse',
    consentMissing: 'Sagt nicht, ob die Person zugestimmt hat',
    unknownLanguage: 'Die Seite erscheint nicht in dieser Sprache',
    repeated: 'Die Adresse steht schon in einer früheren Zeile',
    unsubscribed: 'Die Person hat sich abgemeldet',
    bounced: 'E-Mails an die Adresse sind unzustellbar',
    tooManyUnconfirmed: 'Zu viele Adressen warten auf eine Bestätigung',
  },
  toList: 'Adressen zeigen',
};

export const importTexts = { en, de } satisfies Texts<unknown>;
