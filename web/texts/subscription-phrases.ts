import { inLanguage } from '../../lib/locale/language.js';

/** Texts of the views that confirm and unsubscribe; functions take the name of the status page. */
export type SubscriptionPhrases = {
  language: string;
  confirmTitle: string;
  confirmText: (page: string) => string;
  confirmButton: string;
  confirmedTitle: string;
  confirmedText: (page: string) => string;
  expiredTitle: string;
  expiredText: (page: string) => string;
  unsubscribeTitle: string;
  unsubscribeText: (page: string) => string;
  unsubscribeButton: string;
  unsubscribedTitle: string;
  unsubscribedText: (page: string) => string;
  chatConfirmText: (page: string) => string;
  chatConfirmedText: (page: string) => string;
  chatUnsubscribedText: (page: string) => string;
  invalidTitle: string;
  invalidText: string;
};

/** The texts in a language or its base (`pt` for `pt-BR`), else in English. */
export function subscriptionPhrases(language: string): SubscriptionPhrases {
  return inLanguage(phrases, language);
}

const phrases = {
  en: {
    language: 'en',
    confirmTitle: 'Confirm your subscription',
    confirmText: (page) => `Get an email whenever ${page} reports an incident or plans maintenance.`,
    confirmButton: 'Confirm subscription',
    confirmedTitle: 'You are subscribed',
    confirmedText: (page) =>
      `You will get an email whenever ${page} reports an incident or plans maintenance.`,
    expiredTitle: 'This link has expired',
    expiredText: (page) => `Sign up once more on the status page of ${page} to get a new one.`,
    unsubscribeTitle: 'Unsubscribe?',
    unsubscribeText: (page) => `You will get no more email about ${page}.`,
    unsubscribeButton: 'Unsubscribe',
    unsubscribedTitle: 'You are unsubscribed',
    unsubscribedText: (page) => `You will get no more email about ${page}.`,
    chatConfirmText: (page) =>
      `Get a message in your chat whenever ${page} reports an incident or plans maintenance.`,
    chatConfirmedText: (page) =>
      `Your chat will get a message whenever ${page} reports an incident or plans maintenance.`,
    chatUnsubscribedText: (page) => `Your chat will get no more messages about ${page}.`,
    invalidTitle: 'This link does not work',
    invalidText: 'Part of it may be missing. Open it again from the email, or copy all of it.',
  },
  de: {
    language: 'de',
    confirmTitle: 'Abonnement bestätigen',
    confirmText: (page) =>
      `Sie erhalten eine E-Mail, wenn ${page} eine Störung meldet oder eine Wartung plant.`,
    confirmButton: 'Abonnement bestätigen',
    confirmedTitle: 'Abonnement bestätigt',
    confirmedText: (page) =>
      `Sie erhalten eine E-Mail, wenn ${page} eine Störung meldet oder eine Wartung plant.`,
    expiredTitle: 'Dieser Link ist abgelaufen',
    expiredText: (page) => `Melden Sie sich auf der Statusseite von ${page} noch einmal an.`,
    unsubscribeTitle: 'Abbestellen?',
    unsubscribeText: (page) => `Sie erhalten dann keine E-Mails mehr über ${page}.`,
    unsubscribeButton: 'Abbestellen',
    unsubscribedTitle: 'Sie sind abgemeldet',
    unsubscribedText: (page) => `Sie erhalten keine E-Mails mehr über ${page}.`,
    chatConfirmText: (page) =>
      `Ihr Chat erhält eine Nachricht, wenn ${page} eine Störung meldet oder eine Wartung plant.`,
    chatConfirmedText: (page) =>
      `Ihr Chat erhält eine Nachricht, wenn ${page} eine Störung meldet oder eine Wartung plant.`,
    chatUnsubscribedText: (page) => `Ihr Chat erhält keine Nachrichten mehr über ${page}.`,
    invalidTitle: 'Dieser Link funktioniert nicht',
    invalidText:
      'Vielleicht fehlt ein Teil. Öffnen Sie ihn noch einmal aus der E-Mail, oder kopieren Sie ihn ganz.',
  },
  fr: {
    language: 'fr',
    confirmTitle: 'Confirmez votre abonnement',
    confirmText: (page) =>
      `Recevez un e-mail chaque fois que ${page} signale un incident ou prévoit une maintenance.`,
    confirmButton: 'Confirmer l’abonnement',
    confirmedTitle: 'Vous êtes abonné',
    confirmedText: (page) =>
      `Vous recevrez un e-mail chaque fois que ${page} signale un incident ou prévoit une maintenance.`,
    expiredTitle: 'Ce lien a expiré',
    expiredText: (page) =>
      `Inscrivez-vous à nouveau sur la page d’état de ${page} pour en recevoir un autre.`,
    unsubscribeTitle: 'Se désabonner ?',
    unsubscribeText: (page) => `Vous ne recevrez plus d’e-mails au sujet de ${page}.`,
    unsubscribeButton: 'Se désabonner',
    unsubscribedTitle: 'Vous êtes désabonné',
    unsubscribedText: (page) => `Vous ne recevrez plus d’e-mails au sujet de ${page}.`,
    chatConfirmText: (page) =>
      `Recevez un message chaque fois que ${page} signale un incident ou prévoit une maintenance.`,
    chatConfirmedText: (page) =>
      `Vous recevrez un message chaque fois que ${page} signale un incident ou prévoit une maintenance.`,
    chatUnsubscribedText: (page) => `Vous ne recevrez plus de messages au sujet de ${page}.`,
    invalidTitle: 'Ce lien ne fonctionne pas',
    invalidText: 'Il est peut-être incomplet. Ouvrez-le à nouveau depuis l’e-mail, ou copiez-le en entier.',
  },
  es: {
    language: 'es',
    confirmTitle: 'Confirme su suscripción',
    confirmText: (page) =>
      `Reciba un correo cada vez que ${page} comunique una incidencia o planifique un mantenimiento.`,
    confirmButton: 'Confirmar suscripción',
    confirmedTitle: 'Suscripción confirmada',
    confirmedText: (page) =>
      `Recibirá un correo cada vez que ${page} comunique una incidencia o planifique un mantenimiento.`,
    expiredTitle: 'Este enlace ha caducado',
    expiredText: (page) => `Suscríbase de nuevo en la página de estado de ${page} para recibir otro.`,
    unsubscribeTitle: '¿Cancelar la suscripción?',
    unsubscribeText: (page) => `No recibirá más correos sobre ${page}.`,
    unsubscribeButton: 'Cancelar suscripción',
    unsubscribedTitle: 'Suscripción cancelada',
    unsubscribedText: (page) => `No recibirá más correos sobre ${page}.`,
    chatConfirmText: (page) =>
      `Reciba un mensaje cada vez que ${page} comunique una incidencia o planifique un mantenimiento.`,
    chatConfirmedText: (page) =>
      `Recibirá un mensaje cada vez que ${page} comunique una incidencia o planifique un mantenimiento.`,
    chatUnsubscribedText: (page) => `No recibirá más mensajes sobre ${page}.`,
    invalidTitle: 'Este enlace no funciona',
    invalidText: 'Puede que esté incompleto. Ábralo de nuevo desde el correo o cópielo entero.',
  },
  pt: {
    language: 'pt',
    confirmTitle: 'Confirme a sua inscrição',
    confirmText: (page) =>
      `Receba um e-mail sempre que ${page} comunicar um incidente ou planejar uma manutenção.`,
    confirmButton: 'Confirmar inscrição',
    confirmedTitle: 'Inscrição confirmada',
    confirmedText: (page) =>
      `Receberá um e-mail sempre que ${page} comunicar um incidente ou planejar uma manutenção.`,
    expiredTitle: 'Este link expirou',
    expiredText: (page) => `Inscreva-se novamente na página de status de ${page} para receber outro.`,
    unsubscribeTitle: 'Cancelar a inscrição?',
    unsubscribeText: (page) => `Não receberá mais e-mails sobre ${page}.`,
    unsubscribeButton: 'Cancelar inscrição',
    unsubscribedTitle: 'Inscrição cancelada',
    unsubscribedText: (page) => `Não receberá mais e-mails sobre ${page}.`,
    chatConfirmText: (page) =>
      `Receba uma mensagem sempre que ${page} comunicar um incidente ou planejar uma manutenção.`,
    chatConfirmedText: (page) =>
      `Receberá uma mensagem sempre que ${page} comunicar um incidente ou planejar uma manutenção.`,
    chatUnsubscribedText: (page) => `Não receberá mais mensagens sobre ${page}.`,
    invalidTitle: 'Este link não funciona',
    invalidText: 'Talvez falte uma parte. Abra-o novamente a partir do e-mail ou copie-o por inteiro.',
  },
  it: {
    language: 'it',
    confirmTitle: 'Conferma l’iscrizione',
    confirmText: (page) =>
      `Ricevi un’e-mail ogni volta che ${page} segnala un problema o pianifica una manutenzione.`,
    confirmButton: 'Conferma iscrizione',
    confirmedTitle: 'Iscrizione confermata',
    confirmedText: (page) =>
      `Riceverai un’e-mail ogni volta che ${page} segnala un problema o pianifica una manutenzione.`,
    expiredTitle: 'Questo link è scaduto',
    expiredText: (page) => `Iscriviti di nuovo alla pagina di stato di ${page} per riceverne un altro.`,
    unsubscribeTitle: 'Annullare l’iscrizione?',
    unsubscribeText: (page) => `Non riceverai più e-mail su ${page}.`,
    unsubscribeButton: 'Annulla iscrizione',
    unsubscribedTitle: 'Iscrizione annullata',
    unsubscribedText: (page) => `Non riceverai più e-mail su ${page}.`,
    chatConfirmText: (page) =>
      `Ricevi un messaggio ogni volta che ${page} segnala un problema o pianifica una manutenzione.`,
    chatConfirmedText: (page) =>
      `Riceverai un messaggio ogni volta che ${page} segnala un problema o pianifica una manutenzione.`,
    chatUnsubscribedText: (page) => `Non riceverai più messaggi su ${page}.`,
    invalidTitle: 'Questo link non funziona',
    invalidText: 'Forse ne manca una parte. Aprilo di nuovo dall’e-mail o copialo per intero.',
  },
  nl: {
    language: 'nl',
    confirmTitle: 'Bevestig uw abonnement',
    confirmText: (page) => `Ontvang een e-mail zodra ${page} een storing meldt of onderhoud plant.`,
    confirmButton: 'Abonnement bevestigen',
    confirmedTitle: 'U bent geabonneerd',
    confirmedText: (page) => `U ontvangt een e-mail zodra ${page} een storing meldt of onderhoud plant.`,
    expiredTitle: 'Deze link is verlopen',
    expiredText: (page) => `Meld u opnieuw aan op de statuspagina van ${page} voor een nieuwe.`,
    unsubscribeTitle: 'Afmelden?',
    unsubscribeText: (page) => `U ontvangt dan geen e-mails meer over ${page}.`,
    unsubscribeButton: 'Afmelden',
    unsubscribedTitle: 'U bent afgemeld',
    unsubscribedText: (page) => `U ontvangt geen e-mails meer over ${page}.`,
    chatConfirmText: (page) =>
      `Uw chat krijgt een bericht wanneer ${page} een storing meldt of onderhoud plant.`,
    chatConfirmedText: (page) =>
      `Uw chat krijgt een bericht wanneer ${page} een storing meldt of onderhoud plant.`,
    chatUnsubscribedText: (page) => `Uw chat krijgt geen berichten meer over ${page}.`,
    invalidTitle: 'Deze link werkt niet',
    invalidText:
      'Misschien ontbreekt er een deel. Open hem opnieuw vanuit de e-mail of kopieer hem helemaal.',
  },
  ja: {
    language: 'ja',
    confirmTitle: '購読の確認',
    confirmText: (page) => `${page} で障害の報告やメンテナンスの予定があると、メールでお知らせします。`,
    confirmButton: '購読を確定する',
    confirmedTitle: '購読を開始しました',
    confirmedText: (page) =>
      `今後、${page} で障害の報告やメンテナンスの予定があると、メールでお知らせします。`,
    expiredTitle: 'このリンクは期限切れです',
    expiredText: (page) => `${page} のステータスページから、もう一度お申し込みください。`,
    unsubscribeTitle: '配信を停止しますか？',
    unsubscribeText: (page) => `${page} に関するメールは届かなくなります。`,
    unsubscribeButton: '配信を停止する',
    unsubscribedTitle: '配信を停止しました',
    unsubscribedText: (page) => `今後、${page} に関するメールは届きません。`,
    chatConfirmText: (page) =>
      `${page}が障害を報告したりメンテナンスを予定したりすると、チャットにメッセージが届きます。`,
    chatConfirmedText: (page) =>
      `${page}が障害を報告したりメンテナンスを予定したりすると、チャットにメッセージが届きます。`,
    chatUnsubscribedText: (page) => `${page}に関するメッセージは届かなくなります。`,
    invalidTitle: 'このリンクは使えません',
    invalidText:
      'リンクの一部が欠けている可能性があります。メールからもう一度開くか、全体をコピーしてください。',
  },
} satisfies Record<string, SubscriptionPhrases>;
