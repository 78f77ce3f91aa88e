import { inLanguage } from '../../lib/locale/language.js';

/** A title of one line, and a text in Markdown that the commands follow. */
type NoticeText = { title: string; text: string };

/** The phrases of emails to the owners of a page. */
export type NoticePhrases = {
  /** Language of these phrases; BCP 47 tag. */
  language: string;
  label: string;
  /** A delivery was given up. */
  parked: NoticeText;
  /** The receiver answered 410 Gone. */
  disabled: NoticeText;
  /** A message to a channel of the team was given up. */
  channel: NoticeText & { label: string; message: string; why: (page: string) => string };
  webhook: string;
  attempts: string;
  lastAnswer: string;
  parkedDeliveries: string;
  /** Takes a formatted number. */
  moreThan: (count: string) => string;
  /** Takes the name of the status page. */
  why: (page: string) => string;
};

/** Returns the phrases in a language, in its base language (`pt` for `pt-BR`), or in English. */
export function noticePhrases(language: string): NoticePhrases {
  return inLanguage(phrases, language);
}

const phrases = {
  en: {
    language: 'en',
    label: 'Webhook',
    parked: {
      title: 'A delivery was parked',
      text: 'The receiver did not accept a delivery, and Heartline no longer tries to send it. Later deliveries continue. A parked delivery is kept for 30 days. Once the receiver works, send it again:',
    },
    disabled: {
      title: 'The webhook was disabled',
      text: 'The receiver answered 410 Gone: it no longer exists. New incidents and changes are not sent to it. Once the receiver is back, enable the webhook and send the parked deliveries again:',
    },
    channel: {
      label: 'Channel',
      title: 'A channel did not take a message',
      text: 'The provider did not accept a message, and Heartline no longer tries to send it, so your team may not know what it reports. Later messages are still sent. Check the settings of the channel in the dashboard, send a test, and see what was given up:',
      message: 'Message',
      why: (page) =>
        `You get this email because this address is listed as an owner of ${page}. For each channel there is at most one such email a day.`,
    },
    webhook: 'Receiver',
    attempts: 'Attempts',
    lastAnswer: 'Last answer',
    parkedDeliveries: 'Parked deliveries',
    moreThan: (count) => `more than ${count}`,
    why: (page) =>
      `You get this email because this address is listed as an owner of ${page}. For each webhook there is at most one such email a day, and one when it is disabled.`,
  },
  de: {
    language: 'de',
    label: 'Webhook',
    parked: {
      title: 'Eine Zustellung wurde aufgegeben',
      text: 'Der Empfänger hat eine Zustellung nicht angenommen, und Heartline versucht es nicht weiter. Spätere Zustellungen werden weiter gesendet. Eine aufgegebene Zustellung bleibt 30 Tage erhalten. Sobald der Empfänger wieder arbeitet, senden Sie sie erneut:',
    },
    disabled: {
      title: 'Der Webhook wurde abgeschaltet',
      text: 'Der Empfänger hat mit 410 Gone geantwortet: Es gibt ihn nicht mehr. Neue Störungen und Änderungen werden nicht an ihn gesendet. Sobald der Empfänger wieder da ist, schalten Sie den Webhook ein und senden Sie die aufgegebenen Zustellungen erneut:',
    },
    channel: {
      label: 'Kanal',
      title: 'Ein Kanal hat eine Nachricht nicht angenommen',
      text: 'Der Anbieter hat eine Nachricht nicht angenommen, und Heartline versucht es nicht weiter. Ihr Team weiß also vielleicht nicht, was sie meldet. Spätere Nachrichten werden weiter gesendet. Prüfen Sie die Einstellungen des Kanals im Dashboard, senden Sie eine Testnachricht, und sehen Sie nach, was aufgegeben wurde:',
      message: 'Nachricht',
      why: (page) =>
        `Sie erhalten diese E-Mail, weil diese Adresse für ${page} als Inhaber eingetragen ist. Zu jedem Kanal gibt es höchstens eine solche E-Mail am Tag.`,
    },
    webhook: 'Empfänger',
    attempts: 'Versuche',
    lastAnswer: 'Letzte Antwort',
    parkedDeliveries: 'Aufgegebene Zustellungen',
    moreThan: (count) => `mehr als ${count}`,
    why: (page) =>
      `Sie erhalten diese E-Mail, weil diese Adresse für ${page} als Inhaber eingetragen ist. Zu jedem Webhook gibt es höchstens eine solche E-Mail am Tag, und eine, wenn er abgeschaltet wird.`,
  },
  fr: {
    language: 'fr',
    label: 'Webhook',
    parked: {
      title: 'Une livraison a été abandonnée',
      text: 'Le destinataire n’a pas accepté une livraison, et Heartline n’essaie plus de l’envoyer. Les livraisons suivantes continuent. Une livraison abandonnée est conservée 30 jours. Dès que le destinataire fonctionne, renvoyez-la :',
    },
    disabled: {
      title: 'Le webhook a été désactivé',
      text: 'Le destinataire a répondu 410 Gone : il n’existe plus. Les nouveaux incidents et changements ne lui sont pas envoyés. Dès que le destinataire est de retour, réactivez le webhook et renvoyez les livraisons abandonnées :',
    },
    channel: {
      label: 'Canal',
      title: 'Un canal n’a pas accepté un message',
      text: 'Le fournisseur n’a pas accepté un message, et Heartline n’essaie plus de l’envoyer : votre équipe ignore peut-être ce qu’il signale. Les messages suivants sont toujours envoyés. Vérifiez les réglages du canal dans le tableau de bord, envoyez un test et voyez ce qui a été abandonné :',
      message: 'Message',
      why: (page) =>
        `Vous recevez cet e-mail car cette adresse est enregistrée comme propriétaire de ${page}. Pour chaque canal, il y a au plus un tel e-mail par jour.`,
    },
    webhook: 'Destinataire',
    attempts: 'Tentatives',
    lastAnswer: 'Dernière réponse',
    parkedDeliveries: 'Livraisons abandonnées',
    moreThan: (count) => `plus de ${count}`,
    why: (page) =>
      `Vous recevez cet e-mail car cette adresse est enregistrée comme propriétaire de ${page}. Pour chaque webhook, il y a au plus un tel e-mail par jour, et un quand il est désactivé.`,
  },
  es: {
    language: 'es',
    label: 'Webhook',
    parked: {
      title: 'Se ha abandonado una entrega',
      text: 'El receptor no ha aceptado una entrega y Heartline ya no intenta enviarla. Las entregas posteriores continúan. Una entrega abandonada se conserva 30 días. Cuando el receptor funcione, envíela de nuevo:',
    },
    disabled: {
      title: 'Se ha desactivado el webhook',
      text: 'El receptor ha respondido 410 Gone: ya no existe. No se le envían las incidencias ni los cambios nuevos. Cuando el receptor vuelva, active el webhook y envíe de nuevo las entregas abandonadas:',
    },
    channel: {
      label: 'Canal',
      title: 'Un canal no ha aceptado un mensaje',
      text: 'El proveedor no ha aceptado un mensaje y Heartline ya no intenta enviarlo, así que su equipo quizá no sepa lo que comunica. Los mensajes posteriores se siguen enviando. Revise la configuración del canal en el panel, envíe una prueba y vea qué se ha abandonado:',
      message: 'Mensaje',
      why: (page) =>
        `Recibe este correo porque esta dirección figura como propietaria de ${page}. Por cada canal hay como máximo un correo así al día.`,
    },
    webhook: 'Receptor',
    attempts: 'Intentos',
    lastAnswer: 'Última respuesta',
    parkedDeliveries: 'Entregas abandonadas',
    moreThan: (count) => `más de ${count}`,
    why: (page) =>
      `Recibe este correo porque esta dirección figura como propietaria de ${page}. Por cada webhook hay como máximo un correo así al día, y uno cuando se desactiva.`,
  },
  pt: {
    language: 'pt',
    label: 'Webhook',
    parked: {
      title: 'Uma entrega foi abandonada',
      text: 'O destinatário não aceitou uma entrega, e o Heartline não tenta mais enviá-la. As entregas seguintes continuam. Uma entrega abandonada fica guardada por 30 dias. Quando o destinatário funcionar, envie-a de novo:',
    },
    disabled: {
      title: 'O webhook foi desativado',
      text: 'O destinatário respondeu 410 Gone: ele não existe mais. Novos incidentes e mudanças não são enviados a ele. Quando o destinatário voltar, ative o webhook e envie de novo as entregas abandonadas:',
    },
    channel: {
      label: 'Canal',
      title: 'Um canal não aceitou uma mensagem',
      text: 'O provedor não aceitou uma mensagem, e o Heartline não tenta mais enviá-la; talvez a sua equipe não saiba o que ela informa. As mensagens seguintes continuam sendo enviadas. Confira as configurações do canal no painel, envie um teste e veja o que foi abandonado:',
      message: 'Mensagem',
      why: (page) =>
        `Você recebe este e-mail porque este endereço consta como responsável por ${page}. Para cada canal há no máximo um e-mail assim por dia.`,
    },
    webhook: 'Destinatário',
    attempts: 'Tentativas',
    lastAnswer: 'Última resposta',
    parkedDeliveries: 'Entregas abandonadas',
    moreThan: (count) => `mais de ${count}`,
    why: (page) =>
      `Você recebe este e-mail porque este endereço consta como responsável por ${page}. Para cada webhook há no máximo um e-mail assim por dia, e um quando ele é desativado.`,
  },
  it: {
    language: 'it',
    label: 'Webhook',
    parked: {
      title: 'Una consegna è stata abbandonata',
      text: 'Il destinatario non ha accettato una consegna e Heartline non prova più a inviarla. Le consegne successive continuano. Una consegna abbandonata resta disponibile per 30 giorni. Quando il destinatario funziona di nuovo, la invii ancora:',
    },
    disabled: {
      title: 'Il webhook è stato disattivato',
      text: 'Il destinatario ha risposto 410 Gone: non esiste più. I nuovi incidenti e le modifiche non gli vengono inviati. Quando il destinatario è di nuovo disponibile, attivi il webhook e invii ancora le consegne abbandonate:',
    },
    channel: {
      label: 'Canale',
      title: 'Un canale non ha accettato un messaggio',
      text: 'Il fornitore non ha accettato un messaggio e Heartline non prova più a inviarlo: il suo team potrebbe non sapere che cosa segnala. I messaggi successivi vengono ancora inviati. Controlli le impostazioni del canale nella dashboard, invii una prova e veda che cosa è stato abbandonato:',
      message: 'Messaggio',
      why: (page) =>
        `Riceve questa e-mail perché questo indirizzo è indicato come titolare di ${page}. Per ogni canale c’è al massimo una e-mail di questo tipo al giorno.`,
    },
    webhook: 'Destinatario',
    attempts: 'Tentativi',
    lastAnswer: 'Ultima risposta',
    parkedDeliveries: 'Consegne abbandonate',
    moreThan: (count) => `più di ${count}`,
    why: (page) =>
      `Riceve questa e-mail perché questo indirizzo è indicato come titolare di ${page}. Per ogni webhook c’è al massimo una e-mail di questo tipo al giorno, e una quando viene disattivato.`,
  },
  nl: {
    language: 'nl',
    label: 'Webhook',
    parked: {
      title: 'Een levering is opgegeven',
      text: 'De ontvanger heeft een levering niet aangenomen en Heartline probeert haar niet meer te verzenden. Latere leveringen gaan door. Een opgegeven levering blijft 30 dagen bewaard. Verzend haar opnieuw zodra de ontvanger werkt:',
    },
    disabled: {
      title: 'De webhook is uitgeschakeld',
      text: 'De ontvanger antwoordde 410 Gone: hij bestaat niet meer. Nieuwe storingen en wijzigingen worden er niet naartoe gestuurd. Schakel de webhook in zodra de ontvanger terug is, en verzend de opgegeven leveringen opnieuw:',
    },
    channel: {
      label: 'Kanaal',
      title: 'Een kanaal heeft een bericht niet aangenomen',
      text: 'De aanbieder heeft een bericht niet aangenomen en Heartline probeert het niet meer te verzenden. Uw team weet dus misschien niet wat het meldt. Latere berichten worden nog wel verzonden. Controleer de instellingen van het kanaal in het dashboard, stuur een test en bekijk wat is opgegeven:',
      message: 'Bericht',
      why: (page) =>
        `U krijgt deze e-mail omdat dit adres als eigenaar van ${page} is opgegeven. Per kanaal is er hooguit één zo’n e-mail per dag.`,
    },
    webhook: 'Ontvanger',
    attempts: 'Pogingen',
    lastAnswer: 'Laatste antwoord',
    parkedDeliveries: 'Opgegeven leveringen',
    moreThan: (count) => `meer dan ${count}`,
    why: (page) =>
      `U krijgt deze e-mail omdat dit adres als eigenaar van ${page} is opgegeven. Per webhook is er hooguit één zo’n e-mail per dag, en één wanneer hij wordt uitgeschakeld.`,
  },
  ja: {
    language: 'ja',
    label: 'Webhook',
    parked: {
      title: '配信を中止しました',
      text: '受信側が配信を受け付けなかったため、Heartline は再送を打ち切りました。以降の配信は続きます。中止した配信は 30 日間保存されます。受信側が復旧したら、次のコマンドで再送してください。',
    },
    disabled: {
      title: 'Webhook を無効にしました',
      text: '受信側が 410 Gone と応答しました。受信側はすでに存在しません。新しい障害や変更は送信されません。受信側が復旧したら、Webhook を有効にし、中止した配信を再送してください。',
    },
    channel: {
      label: 'チャンネル',
      title: 'チャンネルがメッセージを受け付けませんでした',
      text: '送信先がメッセージを受け付けなかったため、Heartline は再送を打ち切りました。チームは内容を知らない可能性があります。以降のメッセージは送信されます。ダッシュボードでチャンネルの設定を確認し、テストを送信して、中止したメッセージを確認してください。',
      message: 'メッセージ',
      why: (page) =>
        `このアドレスが ${page} の管理者として登録されているため、このメールをお送りしています。チャンネルごとに 1 日 1 通までです。`,
    },
    webhook: '受信側',
    attempts: '試行回数',
    lastAnswer: '最後の応答',
    parkedDeliveries: '中止した配信',
    moreThan: (count) => `${count} 件超`,
    why: (page) =>
      `このアドレスが ${page} の管理者として登録されているため、このメールをお送りしています。Webhook ごとに 1 日 1 通まで、無効になった場合はさらに 1 通です。`,
  },
} satisfies Record<string, NoticePhrases>;
