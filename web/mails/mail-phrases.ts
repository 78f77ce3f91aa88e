import { inLanguage } from '../../lib/locale/language.js';

/** Labels before the title in a subject. */
export type Labels = {
  created: string;
  updated: string;
  resolved: string;
  reopened: string;
  investigating: string;
  identified: string;
  monitoring: string;
  scheduled: string;
  maintenanceUpdated: string;
  inProgress: string;
  completed: string;
  calledOff: string;
  /** Maintenance of which it reminds. */
  soon: string;
};

/** The phrases of emails. Functions take the name of the status page. */
export type EmailPhrases = {
  /** Language of these phrases; BCP 47 tag. */
  language: string;
  labels: Labels;
  affected: string;
  started: string;
  ended: string;
  planned: string;
  open: string;
  why: (page: string) => string;
  unsubscribe: string;
  manage: string;
  confirmSubject: (page: string) => string;
  confirmText: (page: string) => string;
  confirmButton: string;
  confirmNote: string;
};

/** Returns the phrases in a language, in its base language (`pt` for `pt-BR`), or in English. */
export function emailPhrases(language: string): EmailPhrases {
  return inLanguage(phrases, language);
}

const phrases = {
  en: {
    language: 'en',
    labels: {
      created: 'New incident',
      updated: 'Updated',
      resolved: 'Resolved',
      reopened: 'Reopened',
      investigating: 'Investigating',
      identified: 'Identified',
      monitoring: 'Monitoring',
      scheduled: 'Maintenance scheduled',
      maintenanceUpdated: 'Maintenance update',
      inProgress: 'Maintenance in progress',
      completed: 'Maintenance completed',
      calledOff: 'Maintenance called off',
      soon: 'Maintenance begins soon',
    },
    affected: 'Affected',
    started: 'Started',
    ended: 'Ended',
    planned: 'Planned',
    open: 'Open the status page',
    why: (page) => `You get this email because you subscribed to ${page}.`,
    unsubscribe: 'Unsubscribe',
    manage: 'Change what you get',
    confirmSubject: (page) => `Confirm your subscription to ${page}`,
    confirmText: (page) => `Somebody asked that ${page} tells this address about incidents and maintenance.`,
    confirmButton: 'Confirm subscription',
    confirmNote:
      'The link works for 48 hours. If you did not ask for this, do nothing: without a confirmation nothing is sent.',
  },
  de: {
    language: 'de',
    labels: {
      created: 'Neue Störung',
      updated: 'Aktualisiert',
      resolved: 'Behoben',
      reopened: 'Wieder offen',
      investigating: 'Wird untersucht',
      identified: 'Ursache gefunden',
      monitoring: 'Wird beobachtet',
      scheduled: 'Wartung geplant',
      maintenanceUpdated: 'Neues zur Wartung',
      inProgress: 'Wartung läuft',
      completed: 'Wartung beendet',
      calledOff: 'Wartung abgesagt',
      soon: 'Wartung beginnt bald',
    },
    affected: 'Betroffen',
    started: 'Beginn',
    ended: 'Ende',
    planned: 'Geplant',
    open: 'Statusseite öffnen',
    why: (page) => `Sie erhalten diese E-Mail, weil Sie ${page} abonniert haben.`,
    unsubscribe: 'Abbestellen',
    manage: 'Auswahl ändern',
    confirmSubject: (page) => `Bestätigen Sie Ihr Abonnement von ${page}`,
    confirmText: (page) =>
      `Jemand möchte, dass ${page} diese Adresse über Störungen und Wartungen benachrichtigt.`,
    confirmButton: 'Abonnement bestätigen',
    confirmNote:
      'Der Link gilt 48 Stunden. Wenn Sie das nicht waren, tun Sie nichts: Ohne Bestätigung wird nichts gesendet.',
  },
  fr: {
    language: 'fr',
    labels: {
      created: 'Nouvel incident',
      updated: 'Mis à jour',
      resolved: 'Résolu',
      reopened: 'Rouvert',
      investigating: 'Analyse en cours',
      identified: 'Cause identifiée',
      monitoring: 'Sous surveillance',
      scheduled: 'Maintenance prévue',
      maintenanceUpdated: 'Point sur la maintenance',
      inProgress: 'Maintenance en cours',
      completed: 'Maintenance terminée',
      calledOff: 'Maintenance annulée',
      soon: 'La maintenance commence bientôt',
    },
    affected: 'Concerné',
    started: 'Début',
    ended: 'Fin',
    planned: 'Prévu',
    open: 'Ouvrir la page d’état',
    why: (page) => `Vous recevez cet e-mail car vous êtes abonné à ${page}.`,
    unsubscribe: 'Se désabonner',
    manage: 'Modifier l’abonnement',
    confirmSubject: (page) => `Confirmez votre abonnement à ${page}`,
    confirmText: (page) =>
      `Quelqu’un a demandé que ${page} informe cette adresse des incidents et des maintenances.`,
    confirmButton: 'Confirmer l’abonnement',
    confirmNote:
      'Le lien est valable 48 heures. Si ce n’était pas vous, ne faites rien : sans confirmation, rien n’est envoyé.',
  },
  es: {
    language: 'es',
    labels: {
      created: 'Nueva incidencia',
      updated: 'Actualizado',
      resolved: 'Resuelto',
      reopened: 'Reabierto',
      investigating: 'En investigación',
      identified: 'Causa identificada',
      monitoring: 'En observación',
      scheduled: 'Mantenimiento programado',
      maintenanceUpdated: 'Novedades del mantenimiento',
      inProgress: 'Mantenimiento en curso',
      completed: 'Mantenimiento finalizado',
      calledOff: 'Mantenimiento cancelado',
      soon: 'El mantenimiento comienza pronto',
    },
    affected: 'Afectado',
    started: 'Inicio',
    ended: 'Fin',
    planned: 'Previsto',
    open: 'Abrir la página de estado',
    why: (page) => `Recibe este correo porque está suscrito a ${page}.`,
    unsubscribe: 'Cancelar suscripción',
    manage: 'Cambiar la suscripción',
    confirmSubject: (page) => `Confirme su suscripción a ${page}`,
    confirmText: (page) =>
      `Alguien ha pedido que ${page} avise a esta dirección de incidencias y mantenimientos.`,
    confirmButton: 'Confirmar suscripción',
    confirmNote:
      'El enlace funciona durante 48 horas. Si no fue usted, no haga nada: sin confirmación no se envía nada.',
  },
  pt: {
    language: 'pt',
    labels: {
      created: 'Novo incidente',
      updated: 'Atualizado',
      resolved: 'Resolvido',
      reopened: 'Reaberto',
      investigating: 'Em investigação',
      identified: 'Causa identificada',
      monitoring: 'Em observação',
      scheduled: 'Manutenção programada',
      maintenanceUpdated: 'Novidades da manutenção',
      inProgress: 'Manutenção em andamento',
      completed: 'Manutenção concluída',
      calledOff: 'Manutenção cancelada',
      soon: 'A manutenção começa em breve',
    },
    affected: 'Afetado',
    started: 'Início',
    ended: 'Fim',
    planned: 'Previsto',
    open: 'Abrir a página de status',
    why: (page) => `Recebe este e-mail porque se inscreveu em ${page}.`,
    unsubscribe: 'Cancelar inscrição',
    manage: 'Alterar a inscrição',
    confirmSubject: (page) => `Confirme a sua inscrição em ${page}`,
    confirmText: (page) => `Alguém pediu que ${page} avise este endereço sobre incidentes e manutenções.`,
    confirmButton: 'Confirmar inscrição',
    confirmNote:
      'O link funciona por 48 horas. Se não foi você, não faça nada: sem confirmação nada é enviado.',
  },
  it: {
    language: 'it',
    labels: {
      created: 'Nuovo problema',
      updated: 'Aggiornato',
      resolved: 'Risolto',
      reopened: 'Riaperto',
      investigating: 'In analisi',
      identified: 'Causa individuata',
      monitoring: 'In osservazione',
      scheduled: 'Manutenzione programmata',
      maintenanceUpdated: 'Novità sulla manutenzione',
      inProgress: 'Manutenzione in corso',
      completed: 'Manutenzione conclusa',
      calledOff: 'Manutenzione annullata',
      soon: 'La manutenzione inizia presto',
    },
    affected: 'Interessato',
    started: 'Inizio',
    ended: 'Fine',
    planned: 'Previsto',
    open: 'Apri la pagina di stato',
    why: (page) => `Ricevi questa e-mail perché sei iscritto a ${page}.`,
    unsubscribe: 'Annulla iscrizione',
    manage: 'Modifica l’iscrizione',
    confirmSubject: (page) => `Conferma l’iscrizione a ${page}`,
    confirmText: (page) =>
      `Qualcuno ha chiesto che ${page} informi questo indirizzo di problemi e manutenzioni.`,
    confirmButton: 'Conferma iscrizione',
    confirmNote:
      'Il link vale 48 ore. Se non sei stato tu, non fare nulla: senza conferma non viene inviato nulla.',
  },
  nl: {
    language: 'nl',
    labels: {
      created: 'Nieuwe storing',
      updated: 'Bijgewerkt',
      resolved: 'Opgelost',
      reopened: 'Heropend',
      investigating: 'In onderzoek',
      identified: 'Oorzaak gevonden',
      monitoring: 'Onder toezicht',
      scheduled: 'Onderhoud gepland',
      maintenanceUpdated: 'Nieuws over onderhoud',
      inProgress: 'Onderhoud bezig',
      completed: 'Onderhoud afgerond',
      calledOff: 'Onderhoud geannuleerd',
      soon: 'Onderhoud begint binnenkort',
    },
    affected: 'Betreft',
    started: 'Begin',
    ended: 'Einde',
    planned: 'Gepland',
    open: 'Statuspagina openen',
    why: (page) => `U krijgt deze e-mail omdat u zich op ${page} hebt geabonneerd.`,
    unsubscribe: 'Afmelden',
    manage: 'Abonnement wijzigen',
    confirmSubject: (page) => `Bevestig uw abonnement op ${page}`,
    confirmText: (page) =>
      `Iemand heeft gevraagd dat ${page} dit adres op de hoogte houdt van storingen en onderhoud.`,
    confirmButton: 'Abonnement bevestigen',
    confirmNote:
      'De link werkt 48 uur. Was u dit niet, doe dan niets: zonder bevestiging wordt er niets verstuurd.',
  },
  ja: {
    language: 'ja',
    labels: {
      created: '新しい障害',
      updated: '更新',
      resolved: '解決済み',
      reopened: '対応再開',
      investigating: '調査中',
      identified: '原因を特定',
      monitoring: '経過観察中',
      scheduled: 'メンテナンスの予定',
      maintenanceUpdated: 'メンテナンスの更新',
      inProgress: 'メンテナンス実施中',
      completed: 'メンテナンス完了',
      calledOff: 'メンテナンス中止',
      soon: 'まもなくメンテナンスが始まります',
    },
    affected: '対象',
    started: '開始',
    ended: '終了',
    planned: '予定',
    open: 'ステータスページを開く',
    why: (page) => `${page} を購読されているため、このメールをお送りしています。`,
    unsubscribe: '配信を停止する',
    manage: '購読内容を変更',
    confirmSubject: (page) => `${page} の購読をご確認ください`,
    confirmText: (page) =>
      `${page} の障害やメンテナンスの通知を、このアドレスで受け取るお申し込みがありました。`,
    confirmButton: '購読を確定する',
    confirmNote:
      'リンクは 48 時間有効です。お心当たりがない場合は、何もしないでください。確定されないかぎり、メールは送信されません。',
  },
} satisfies Record<string, EmailPhrases>;
