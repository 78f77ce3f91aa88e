import type { Texts } from '../../texts.js';

/** What stands between who changed something and its name, and what stands behind the name. */
export type ChangeSentence = readonly [before: string, after: string];
type ChangeTexts = {
  nouns: Readonly<Record<string, string>>;
  verbs: Readonly<Record<string, ChangeSentence>>;
};

/** `%` stands for the noun. */
const en: ChangeTexts = {
  nouns: {
    'alert-rule': 'the alert rule',
    channel: 'the channel',
    connection: 'the connection',
    delivery: 'the delivery',
    email: 'the email to',
    'event-store': 'the event store',
    group: 'the group',
    incident: 'the incident',
    'incident-text': 'the text of',
    'incident-update': 'an update of',
    invitation: 'the invitation of',
    key: 'the key',
    logo: 'the logo of',
    maintenance: 'the maintenance',
    monitor: 'the monitor',
    job: 'the job',
    page: 'the page',
    postmortem: 'the postmortem of',
    query: 'the query',
    reporter: 'the reporter',
    role: 'a role for',
    session: 'a session of',
    subscriber: 'the subscriber',
    template: 'the template',
    'maintenance-series': 'the maintenance series',
    user: 'the account of',
    webhook: 'the webhook',
  },
  verbs: {
    accept: ['accepted %', ''],
    'confirm-mail': ['asked %', 'to confirm'],
    create: ['created %', ''],
    delete: ['deleted %', ''],
    disable: ['disabled %', ''],
    enable: ['enabled %', ''],
    forget: ['forgot %', ''],
    import: ['imported %', ''],
    order: ['put the monitors in order on %', ''],
    pause: ['paused %', ''],
    refuse: ['was denied %', ''],
    replay: ['sent % again:', ''],
    resend: ['sent % again:', ''],
    resolve: ['resolved %', ''],
    resume: ['resumed %', ''],
    revoke: ['revoked %', ''],
    run: ['ran %', ''],
    rotate: ['renewed the secret of %', ''],
    test: ['tested %', ''],
    unsuppress: ['allowed email again to %', ''],
    update: ['changed %', ''],
  },
};

const de: ChangeTexts = {
  nouns: {
    'alert-rule': 'die Alarmregel',
    channel: 'den Kanal',
    connection: 'die Verbindung',
    delivery: 'die Zustellung',
    email: 'die E-Mail an',
    'event-store': 'den Ereignisspeicher',
    group: 'die Gruppe',
    incident: 'die Störung',
    'incident-text': 'den Text von',
    'incident-update': 'ein Update zu',
    invitation: 'die Einladung von',
    key: 'den Schlüssel',
    logo: 'das Logo von',
    maintenance: 'die Wartung',
    monitor: 'den Monitor',
    job: 'den Job',
    page: 'die Seite',
    postmortem: 'die Nachbetrachtung von',
    query: 'die Abfrage',
    reporter: 'den Reporter',
    role: 'eine Rolle für',
    session: 'eine Sitzung von',
    subscriber: 'den Abonnenten',
    template: 'die Vorlage',
    'maintenance-series': 'die Wartungsserie',
    user: 'das Konto von',
    webhook: 'den Webhook',
  },
  verbs: {
    accept: ['hat %', 'angenommen'],
    'confirm-mail': ['hat %', 'um Bestätigung gebeten'],
    create: ['hat %', 'angelegt'],
    delete: ['hat %', 'gelöscht'],
    disable: ['hat %', 'abgeschaltet'],
    enable: ['hat %', 'eingeschaltet'],
    forget: ['hat %', 'vergessen'],
    import: ['hat %', 'importiert'],
    order: ['hat die Monitore geordnet:', ''],
    pause: ['hat %', 'pausiert'],
    refuse: ['wurde abgewiesen:', ''],
    replay: ['hat %', 'erneut gesendet'],
    resend: ['hat %', 'erneut gesendet'],
    resolve: ['hat %', 'behoben'],
    resume: ['hat %', 'fortgesetzt'],
    revoke: ['hat %', 'widerrufen'],
    run: ['hat %', 'ausgeführt'],
    rotate: ['hat das Geheimnis erneuert:', ''],
    test: ['hat %', 'geprüft'],
    unsuppress: ['hat E-Mails wieder erlaubt:', ''],
    update: ['hat %', 'geändert'],
  },
};

export const changeTexts: Texts<ChangeTexts> = { en, de };

/** The sentence of `monitor.update`; the action itself where there are no words for it. */
export function sentenceOf(action: string, { nouns, verbs }: ChangeTexts): ChangeSentence {
  const [noun = '', verb = ''] = action.split('.');
  const [object, sentence] = [nouns[noun], verbs[verb]];
  if (object === undefined || sentence === undefined) return [`${action}:`, ''];
  return [sentence[0].replace('%', object), sentence[1]];
}
