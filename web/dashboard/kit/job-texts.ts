import type { Texts } from '../texts.js';

type JobText = { name: string; does: string };
export type JobTexts = {
  jobs: Readonly<Record<string, JobText>>;
  /** Names of the other work that the service does by itself, by the name that the audit log has. */
  others: Readonly<Record<string, string>>;
};

const en: JobTexts = {
  jobs: {
    'prune-names': {
      name: 'Clean up names',
      does: 'Deletes services and endpoints without requests in the last 14 days, on pages near a limit.',
    },
    'compute-points': {
      name: 'Compute uptime',
      does: 'Computes uptime and response times from new checks.',
    },
    'move-maintenance': {
      name: 'Start and end maintenance',
      does: 'Announces maintenance that begins or ends as planned.',
    },
    'remind-of-maintenance': {
      name: 'Remind of maintenance',
      does: 'Reminds the subscribers who want that, a day and an hour before maintenance.',
    },
    'plan-maintenance': {
      name: 'Plan recurring maintenance',
      does: 'Publishes the next dates of maintenance that recurs.',
    },
    'watch-failure-rates': {
      name: 'Watch failure rates',
      does: 'Opens and resolves incidents by the alert rules of pages.',
    },
    'watch-monitors': {
      name: 'Watch monitors',
      does: 'Opens and resolves incidents for monitors that go down, on pages that have this turned on.',
    },
    'watch-alarms': {
      name: 'Send alarms',
      does: 'Tells channels about monitors, certificates, failure rates and deliveries in trouble.',
    },
    'watch-reporters': {
      name: 'Watch reporters',
      does: 'Tells channels about services and reporters that are silent.',
    },
    'prune-notifications': {
      name: 'Clean up messages',
      does: 'Deletes deliveries, emails and announcements that ended 30 days ago, and unused translations.',
    },
    'prune-people': {
      name: 'Clean up sign-ins',
      does: 'Deletes sessions, links and counts of failed sign-ins that have ended.',
    },
    'forget-observations': {
      name: 'Clean up database observations',
      does: 'Deletes observations of database servers that are 24 hours old.',
    },
    'forget-unconfirmed': {
      name: 'Clean up subscribers',
      does: 'Deletes addresses that were not confirmed within a week, and those that unsubscribed.',
    },
    'prune-batches': {
      name: 'Clean up undelivered events',
      does: 'Deletes events that the event store of a page has not accepted for a week.',
    },
    'prune-batch-ids': {
      name: 'Clean up batch ids',
      does: 'Deletes the ids of batches of events that no batch is compared with any more.',
    },
    'prune-rejections': {
      name: 'Clean up rejected events',
      does: 'Deletes the counts of rejected events that are 14 days old.',
    },
    'recover-pool-reports': {
      name: 'Recover pool reports',
      does: 'Sends the pool reports that an instance left when it crashed to ClickHouse.',
    },
    'prune-pool-reports': {
      name: 'Clean up pool reports',
      does: 'Deletes the record of pool reports that were received more than an hour ago.',
    },
    'remove-pages': {
      name: 'Remove deleted pages',
      does: 'Removes what is left of pages that were deleted.',
    },
    'prune-audit': {
      name: 'Clean up the audit log',
      does: 'Deletes entries of the audit log that are 400 days old.',
    },
  },
  others: { webhooks: 'Webhooks', channels: 'Channels', 'first-start': 'First start' },
};

const de: JobTexts = {
  jobs: {
    'prune-names': {
      name: 'Namen aufräumen',
      does: 'Löscht Dienste und Endpunkte ohne Anfragen in den letzten 14 Tagen, auf Seiten nahe einer Grenze.',
    },
    'compute-points': {
      name: 'Verfügbarkeit berechnen',
      does: 'Berechnet Verfügbarkeit und Antwortzeiten aus neuen Prüfungen.',
    },
    'move-maintenance': {
      name: 'Wartung beginnen und beenden',
      does: 'Kündigt an, dass Wartung wie geplant beginnt oder endet.',
    },
    'remind-of-maintenance': {
      name: 'An Wartung erinnern',
      does: 'Erinnert die Abonnenten, die das möchten, einen Tag und eine Stunde vor einer Wartung.',
    },
    'plan-maintenance': {
      name: 'Wiederkehrende Wartung planen',
      does: 'Veröffentlicht die nächsten Termine wiederkehrender Wartung.',
    },
    'watch-failure-rates': {
      name: 'Fehlerraten überwachen',
      does: 'Eröffnet und behebt Störungen nach den Alarmregeln der Seiten.',
    },
    'watch-monitors': {
      name: 'Monitore überwachen',
      does: 'Eröffnet und behebt Störungen für Monitore, die ausfallen, auf Seiten, die das wünschen.',
    },
    'watch-alarms': {
      name: 'Alarme senden',
      does: 'Meldet Kanälen Monitore, Zertifikate, Fehlerraten und Zustellungen, mit denen etwas nicht stimmt.',
    },
    'watch-reporters': {
      name: 'Reporter überwachen',
      does: 'Meldet Kanälen Dienste und Reporter, die schweigen.',
    },
    'prune-notifications': {
      name: 'Nachrichten aufräumen',
      does: 'Löscht Zustellungen, E-Mails und Ankündigungen, die vor 30 Tagen endeten, und unbenutzte Übersetzungen.',
    },
    'prune-people': {
      name: 'Anmeldungen aufräumen',
      does: 'Löscht Sitzungen, Links und Zähler gescheiterter Anmeldungen, die abgelaufen sind.',
    },
    'forget-observations': {
      name: 'Datenbank-Beobachtungen aufräumen',
      does: 'Löscht Beobachtungen von Datenbankservern, die 24 Stunden alt sind.',
    },
    'forget-unconfirmed': {
      name: 'Abonnenten aufräumen',
      does: 'Löscht Adressen, die nicht innerhalb einer Woche bestätigt wurden, und abgemeldete.',
    },
    'prune-batches': {
      name: 'Nicht zugestellte Ereignisse aufräumen',
      does: 'Löscht Ereignisse, die der Ereignisspeicher einer Seite seit einer Woche nicht angenommen hat.',
    },
    'prune-batch-ids': {
      name: 'Paket-Ids aufräumen',
      does: 'Löscht die Ids von Ereignispaketen, mit denen kein Paket mehr verglichen wird.',
    },
    'prune-rejections': {
      name: 'Abgelehnte Ereignisse aufräumen',
      does: 'Löscht die Zähler abgelehnter Ereignisse, die 14 Tage alt sind.',
    },
    'recover-pool-reports': {
      name: 'Pool-Berichte retten',
      does: 'Sendet die Pool-Berichte, die eine Instanz bei einem Absturz zurückließ, an ClickHouse.',
    },
    'prune-pool-reports': {
      name: 'Pool-Berichte aufräumen',
      does: 'Löscht die Vermerke zu Pool-Berichten, die vor mehr als einer Stunde eingingen.',
    },
    'remove-pages': {
      name: 'Gelöschte Seiten entfernen',
      does: 'Entfernt, was von gelöschten Seiten übrig ist.',
    },
    'prune-audit': {
      name: 'Protokoll aufräumen',
      does: 'Löscht Einträge des Protokolls, die 400 Tage alt sind.',
    },
  },
  others: { webhooks: 'Webhooks', channels: 'Kanäle', 'first-start': 'Erster Start' },
};

export const jobTexts: Texts<JobTexts> = { en, de };

/** Name of a job in words; its identifier where there are none. */
export function nameOfJob(identifier: string, { jobs, others }: JobTexts): string {
  return jobs[identifier]?.name ?? others[identifier] ?? identifier;
}
