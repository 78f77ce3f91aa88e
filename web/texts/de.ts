import { pluralIn } from './plural.js';
import type { ViewTexts } from './view-texts.js';

const plural = pluralIn('de');

export const de: ViewTexts = {
  language: 'de',
  skip: 'Zum Status springen',
  themeAuto: 'Farbschema: wie im System',
  themeLight: 'Farbschema: hell',
  themeDark: 'Farbschema: dunkel',
  statusPage: 'Statusseite',
  languages: 'Sprachen',
  currentStatus: 'Aktueller Status',
  poweredBy: (product) => `Betrieben mit ${product}`,
  changed: 'Der Status hat sich geändert: {state}',
  overall: {
    up: (up, total) => {
      if (up === total) return 'Alle Dienste laufen';
      return plural(up, {
        one: `${up} von ${total} Diensten läuft`,
        other: `${up} von ${total} Diensten laufen`,
      });
    },
    down: {
      some: (count, total) => {
        if (total === 1) return 'Der Dienst ist ausgefallen';
        if (count === total) return 'Alle Dienste sind ausgefallen';
        return plural(count, {
          one: `${count} von ${total} Diensten ist ausgefallen`,
          other: `${count} von ${total} Diensten sind ausgefallen`,
        });
      },
      named: (names, count) => `${names} ${count === 1 ? 'ist' : 'sind'} ausgefallen`,
    },
    partial: {
      some: (count, total) => {
        if (total === 1) return 'Der Dienst ist teilweise ausgefallen';
        if (count === total) return 'Alle Dienste sind teilweise ausgefallen';
        return plural(count, {
          one: `${count} von ${total} Diensten ist teilweise ausgefallen`,
          other: `${count} von ${total} Diensten sind teilweise ausgefallen`,
        });
      },
      named: (names, count) => `${names} ${count === 1 ? 'ist' : 'sind'} teilweise ausgefallen`,
    },
    degraded: {
      some: (count, total) => {
        if (total === 1) return 'Der Dienst ist beeinträchtigt';
        if (count === total) return 'Alle Dienste sind beeinträchtigt';
        return plural(count, {
          one: `${count} von ${total} Diensten ist beeinträchtigt`,
          other: `${count} von ${total} Diensten sind beeinträchtigt`,
        });
      },
      named: (names, count) => `${names} ${count === 1 ? 'ist' : 'sind'} beeinträchtigt`,
    },
    since: '{state}, seit {time}',
    incident: (open) =>
      plural(open, { one: 'Wir arbeiten an einer Störung', other: `Wir arbeiten an ${open} Störungen` }),
    maintenance: () => 'Wartungsarbeiten sind im Gange',
    paused: 'Die Überwachung pausiert',
    empty: 'Noch wird nichts überwacht',
    waiting: 'Noch ist nichts bekannt',
    stale: 'Es gibt keine aktuellen Messungen',
  },
  overallHint: {
    paused: 'Unten steht der letzte bekannte Stand vor der Pause.',
    empty: 'Die Dienste erscheinen hier mit ihrer ersten Prüfung.',
    waiting: 'Die ersten Ergebnisse erscheinen hier von selbst.',
    stale: 'Unten steht der letzte bekannte Stand; er kann überholt sein.',
    partly: 'Von den übrigen ist der aktuelle Stand nicht bekannt.',
  },
  serviceSince: '{name} seit {time}',
  andMore: (count) => `und ${count} weitere`,
  until: 'bis {time}',
  lastChecked: 'Zuletzt geprüft: {time}',
  services: 'Dienste',
  serviceState: {
    up: 'Läuft',
    degraded: 'Beeinträchtigt',
    partial: 'Teilweise ausgefallen',
    down: 'Ausgefallen',
    maintenance: 'Wartung',
    paused: 'Pausiert',
    unknown: 'Noch nicht bekannt',
    waiting: 'Wartet auf den ersten Aufruf',
    stale: 'Länger nicht geprüft',
  },
  slowSince: 'Langsame Antworten seit {time}',
  uptime: {
    over: (percent, days) => `${percent} verfügbar in ${days} Tagen`,
    since: (percent, day) => `${percent} verfügbar seit dem ${day}`,
  },
  soFar: {
    good: (day) => `Kein Ausfall seit dem ${day}`,
    down: (duration, day) => `Seit dem ${day} ${duration} ausgefallen`,
  },
  responseTime: 'Antwortzeit',
  chart: {
    ranges: 'Zeitraum',
    average: 'Mittelwert {ms}',
    p95: '95. Perzentil {ms}',
    nothing: 'In diesem Zeitraum wurde nichts gemessen.',
  },
  day: {
    good: 'Kein Ausfall',
    down: '{duration} ausgefallen',
    degraded: '{duration} beeinträchtigt',
    failed: '{rate} der Prüfungen fehlgeschlagen',
    unmeasured: 'Nicht gemessen',
  },
  legend: {
    good: 'Kein Ausfall',
    degraded: 'Beeinträchtigt',
    failed: 'Fehlgeschlagene Prüfungen',
    down: 'Ausfall',
    unmeasured: 'Nicht gemessen',
  },
  lastDays: (days) => plural(days, { one: 'Letzter Tag', other: `Letzte ${days} Tage` }),
  since: (day) => `Seit dem ${day}`,
  bars: {
    good: (time) => `${time}: kein Ausfall`,
    down: (time, downDays) =>
      plural(downDays, {
        one: `${time}: Ausfall an einem Tag`,
        other: `${time}: Ausfall an ${downDays} Tagen`,
      }),
  },
  unmeasuredDays: (days) =>
    plural(days, { one: 'ein Tag wurde nicht gemessen', other: `${days} Tage wurden nicht gemessen` }),
  happeningNow: 'Im Moment',
  planned: 'Geplante Wartungen',
  past: 'Vergangene Störungen',
  type: { incident: 'Störung', maintenance: 'Wartung' },
  updateStatus: {
    investigating: 'Wird untersucht',
    identified: 'Ursache gefunden',
    monitoring: 'Wird beobachtet',
    resolved: 'Behoben',
  },
  maintenanceState: { scheduled: 'Geplant', in_progress: 'Im Gange', completed: 'Abgeschlossen' },
  calledOff: 'Abgesagt',
  ongoing: 'Dauert an',
  affects: (names) => `Betrifft ${names}`,
  began: 'Seit {time}',
  span: '{from} – {to}',
  openSpan: 'Ab {from}, Ende offen',
  lasted: (duration) => `Dauer: ${duration}`,
  allUpdates: (updates) =>
    plural(updates, { one: 'Zur Meldung', other: `Alle ${updates} Meldungen ansehen` }),
  noIncidents: 'Keine Störungen gemeldet',
  noIncidentsIn: (days) => `In den letzten ${days} Tagen wurden keine Störungen gemeldet.`,
  noOtherIncidentsIn: (days) => `In den letzten ${days} Tagen wurden keine weiteren Störungen gemeldet.`,
  history: 'Verlauf der Störungen',
  fullHistory: 'Den ganzen Verlauf ansehen',
  historyEmpty: 'In diesem Monat wurden keine Störungen gemeldet.',
  historyOf: (month) => `Verlauf der Störungen, ${month}`,
  earlier: 'Früher',
  later: 'Später',
  pages: {
    name: 'Seiten dieses Monats',
    current: (page, pages) => `Seite ${page} von ${pages}`,
    older: 'Ältere Störungen',
    newer: 'Neuere Störungen',
  },
  timeline: 'Ablauf',
  postmortem: 'Nachbetrachtung',
  noUpdates: 'Es gab keine weiteren Meldungen.',
  notFoundTitle: 'Unter dieser Adresse ist nichts',
  notFoundText: 'Vielleicht ist der Link unvollständig, oder sein Ziel gibt es nicht mehr.',
  privatePage: {
    title: 'Diese Statusseite ist privat',
    askPassword: 'Geben Sie das Passwort ein, oder melden Sie sich an, wenn Sie die Seite betreiben.',
    noPassword: 'Sie ist aus bestimmten Netzen lesbar, und für alle, die sie betreiben.',
    password: 'Passwort',
    open: 'Seite öffnen',
    wrong: 'Das ist nicht das Passwort.',
    busy: 'Es wurden zu viele Passwörter versucht. Bitte warten Sie eine Viertelstunde.',
    signIn: 'Im Dashboard anmelden',
  },
  unavailableTitle: 'Die Statusseite kann gerade nicht angezeigt werden',
  unavailableText: 'Über die Dienste selbst sagt das nichts. Bitte versuchen Sie es gleich noch einmal.',
  tryAgain: 'Noch einmal versuchen',
  subscribe: 'Abonnieren',
  subscribeTitle: 'Als Erste davon erfahren',
  subscribeText: 'Eine E-Mail, sobald eine Störung gemeldet oder eine Wartung geplant wird.',
  followText: 'Störungen und Wartungen per Feed, im Chat oder per Webhook verfolgen.',
  noMailText: 'Diese Seite verschickt keine E-Mails. Abonnieren Sie sie in einem Chat oder per Feed.',
  email: 'E-Mail-Adresse',
  emailNote: 'Wir bitten Sie zuerst um eine Bestätigung. In jeder E-Mail steht ein Link zum Abbestellen.',
  otherWays: 'Andere Wege',
  feeds: 'Feeds',
  feedPerUpdate: 'RSS, jede Meldung',
  webhooks: 'Signierte Webhooks richtet der Betreiber dieser Seite auf Anfrage für Ihre Adresse ein.',
  sentTitle: 'Sehen Sie in Ihr Postfach',
  sentText:
    'Kann die Adresse angemeldet werden, ist ein Link an sie unterwegs. Öffnen Sie ihn, um das Abonnement zu bestätigen.',
  refusedTitle: 'Das hat nicht geklappt',
  refusedText: 'Bitte prüfen Sie die E-Mail-Adresse, und versuchen Sie es noch einmal.',
  busyText: 'Es gab viele Anmeldungen. Bitte versuchen Sie es in einer Stunde noch einmal.',
};
