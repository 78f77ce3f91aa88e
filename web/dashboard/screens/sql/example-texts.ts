import { type SqlExampleId, sqlExamples } from '../../../../contract/analytics/sql-examples.js';
import type { Texts } from '../../texts.js';

type Words = Readonly<Record<SqlExampleId, { title: string; answers: string }>>;

const en = Object.fromEntries(sqlExamples.map(({ id, title, answers }) => [id, { title, answers }])) as Words; // Every example has its id.

const de: Words = {
  totals: {
    title: 'Alle Anfragen in drei Zahlen',
    answers: 'Wie viel Verkehr es gab, welcher Teil davon fehlschlug, und das 95. Perzentil.',
  },
  'failing-endpoints': {
    title: 'Endpunkte nach ihrem Anteil an Fehlern',
    answers: 'Wo Nutzer am häufigsten auf Fehler treffen, mit den Perzentilen der Antwortzeiten.',
  },
  'slow-endpoints': {
    title: 'Die langsamsten Endpunkte',
    answers: 'Wo Nutzer am längsten warten: das 95. Perzentil der Endpunkte, die aufgerufen werden.',
  },
  'rate-by-class': {
    title: 'Anfragen im Zeitverlauf nach Statusklasse',
    answers: 'Wann Fehler begannen, und ob sich der Verkehr mit ihnen änderte.',
  },
  'percentiles-over-time': {
    title: 'Antwortzeiten im Zeitverlauf',
    answers: 'Ob alles langsam wurde, oder nur die langsamsten Anfragen.',
  },
  'slower-than-before': {
    title: 'Was langsamer wurde',
    answers:
      'Die Endpunkte, deren 95. Perzentil gegenüber dem gleich langen Zeitraum davor am meisten stieg.',
  },
  messages: {
    title: 'Die häufigsten Meldungen',
    answers: 'Was fehlgeschlagene Antworten sagen, und wo. Eine Meldung zählt einmal je Endpunkt und Minute.',
  },
  'busiest-hours': {
    title: 'Die Stunden mit dem meisten Verkehr',
    answers: 'Wie die Last den Stunden des Tages folgt, in UTC, über die letzten 7 Tage.',
  },
  silence: {
    title: 'Wer sich am längsten nicht gemeldet hat',
    answers: 'Minuten seit dem letzten Aufruf jedes Dienstes oder Reporters, und seine Aufrufe an einem Tag.',
  },
  'pool-waits': {
    title: 'Warten auf eine Verbindung',
    answers: 'Die Grenze in Millisekunden, unter der 95 % der Anforderungen jedes Pools bleiben.',
  },
};

/** Titles of the examples, and what each answers. */
export const exampleTexts: Texts<Words> = { en, de };
