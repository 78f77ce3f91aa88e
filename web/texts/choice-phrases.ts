import { inLanguage } from '../../lib/locale/language.js';

/** Texts of the forms in which subscribers choose what they hear of. */
export type ChoicePhrases = {
  language: string;
  title: string;
  /** Takes the name of the status page. */
  text: (page: string) => string;
  what: string;
  everything: string;
  some: string;
  someNote: string;
  reminders: string;
  languageLabel: string;
  save: string;
  saved: string;
  leave: string;
  nothingChosen: string;
  manage: string;
  chatTitle: string;
  chatText: string;
  chatKind: string;
  chatProgram: string;
  chatUrl: string;
  chatSend: string;
  chatSentTitle: string;
  chatSentText: string;
};

/** The texts in a language or its base (`pt` for `pt-BR`), else in English. */
export function choicePhrases(language: string): ChoicePhrases {
  return inLanguage(phrases, language);
}

const phrases = {
  en: {
    language: 'en',
    title: 'Your subscription',
    text: (page) => `Choose what you hear of ${page}.`,
    what: 'What you hear of',
    everything: 'All services',
    some: 'Only these services',
    someNote: 'You also hear of what affects the whole page.',
    reminders: 'Remind me a day and an hour before maintenance',
    languageLabel: 'Language',
    save: 'Save',
    saved: 'Your choice is saved.',
    leave: 'Unsubscribe',
    nothingChosen: 'Choose at least one service.',
    manage: 'Choose what you hear of',
    chatTitle: 'In your chat',
    chatText:
      'Create an incoming webhook in Slack, Discord or Teams, and paste its address. A message with a link to confirm is posted there.',
    chatKind: 'Where',
    chatProgram: 'Other (JSON)',
    chatUrl: 'Address of the webhook',
    chatSend: 'Subscribe the chat',
    chatSentTitle: 'Look into your chat',
    chatSentText:
      'If a message can be posted there, one with a link is on its way. Open the link to confirm the subscription.',
  },
  de: {
    language: 'de',
    title: 'Ihr Abonnement',
    text: (page) => `Wählen Sie, was Sie von ${page} erfahren.`,
    what: 'Was Sie erfahren',
    everything: 'Alle Dienste',
    some: 'Nur diese Dienste',
    someNote: 'Sie erfahren auch, was die ganze Seite betrifft.',
    reminders: 'Einen Tag und eine Stunde vor Wartungen erinnern',
    languageLabel: 'Sprache',
    save: 'Speichern',
    saved: 'Ihre Auswahl ist gespeichert.',
    leave: 'Abbestellen',
    nothingChosen: 'Wählen Sie mindestens einen Dienst.',
    manage: 'Auswählen, was Sie erfahren',
    chatTitle: 'In Ihrem Chat',
    chatText:
      'Erstellen Sie in Slack, Discord oder Teams einen eingehenden Webhook und fügen Sie seine Adresse ein. Dort erscheint eine Nachricht mit einem Link zum Bestätigen.',
    chatKind: 'Wo',
    chatProgram: 'Anderes (JSON)',
    chatUrl: 'Adresse des Webhooks',
    chatSend: 'Chat anmelden',
    chatSentTitle: 'Sehen Sie in Ihren Chat',
    chatSentText:
      'Wenn dort eine Nachricht erscheinen kann, ist eine mit einem Link unterwegs. Öffnen Sie den Link, um das Abonnement zu bestätigen.',
  },
  fr: {
    language: 'fr',
    title: 'Votre abonnement',
    text: (page) => `Choisissez ce que vous recevez de ${page}.`,
    what: 'Ce que vous recevez',
    everything: 'Tous les services',
    some: 'Seulement ces services',
    someNote: 'Vous recevez aussi ce qui concerne toute la page.',
    reminders: 'Me le rappeler un jour et une heure avant une maintenance',
    languageLabel: 'Langue',
    save: 'Enregistrer',
    saved: 'Votre choix est enregistré.',
    leave: 'Se désabonner',
    nothingChosen: 'Choisissez au moins un service.',
    manage: 'Choisir ce que vous recevez',
    chatTitle: 'Dans votre messagerie',
    chatText:
      'Créez un webhook entrant dans Slack, Discord ou Teams et collez son adresse. Un message avec un lien de confirmation y est publié.',
    chatKind: 'Où',
    chatProgram: 'Autre (JSON)',
    chatUrl: 'Adresse du webhook',
    chatSend: 'Abonner la messagerie',
    chatSentTitle: 'Regardez votre messagerie',
    chatSentText:
      'Si un message peut y être publié, un message avec un lien est en route. Ouvrez le lien pour confirmer l’abonnement.',
  },
  es: {
    language: 'es',
    title: 'Su suscripción',
    text: (page) => `Elija qué recibe de ${page}.`,
    what: 'Qué recibe',
    everything: 'Todos los servicios',
    some: 'Solo estos servicios',
    someNote: 'También recibe lo que afecta a toda la página.',
    reminders: 'Recordármelo un día y una hora antes de un mantenimiento',
    languageLabel: 'Idioma',
    save: 'Guardar',
    saved: 'Su selección está guardada.',
    leave: 'Cancelar suscripción',
    nothingChosen: 'Elija al menos un servicio.',
    manage: 'Elegir qué recibe',
    chatTitle: 'En su chat',
    chatText:
      'Cree un webhook entrante en Slack, Discord o Teams y pegue su dirección. Allí se publica un mensaje con un enlace para confirmar.',
    chatKind: 'Dónde',
    chatProgram: 'Otro (JSON)',
    chatUrl: 'Dirección del webhook',
    chatSend: 'Suscribir el chat',
    chatSentTitle: 'Mire su chat',
    chatSentText:
      'Si se puede publicar allí, un mensaje con un enlace está en camino. Abra el enlace para confirmar la suscripción.',
  },
  pt: {
    language: 'pt',
    title: 'A sua inscrição',
    text: (page) => `Escolha o que recebe de ${page}.`,
    what: 'O que recebe',
    everything: 'Todos os serviços',
    some: 'Apenas estes serviços',
    someNote: 'Também recebe o que afeta toda a página.',
    reminders: 'Lembrar um dia e uma hora antes de uma manutenção',
    languageLabel: 'Idioma',
    save: 'Salvar',
    saved: 'A sua escolha está salva.',
    leave: 'Cancelar inscrição',
    nothingChosen: 'Escolha pelo menos um serviço.',
    manage: 'Escolher o que recebe',
    chatTitle: 'No seu chat',
    chatText:
      'Crie um webhook de entrada no Slack, Discord ou Teams e cole o endereço. Uma mensagem com um link para confirmar é publicada lá.',
    chatKind: 'Onde',
    chatProgram: 'Outro (JSON)',
    chatUrl: 'Endereço do webhook',
    chatSend: 'Inscrever o chat',
    chatSentTitle: 'Veja o seu chat',
    chatSentText:
      'Se for possível publicar lá, uma mensagem com um link está a caminho. Abra o link para confirmar a inscrição.',
  },
  it: {
    language: 'it',
    title: 'La tua iscrizione',
    text: (page) => `Scegli che cosa ricevi da ${page}.`,
    what: 'Che cosa ricevi',
    everything: 'Tutti i servizi',
    some: 'Solo questi servizi',
    someNote: 'Ricevi anche ciò che riguarda tutta la pagina.',
    reminders: 'Ricordamelo un giorno e un’ora prima di una manutenzione',
    languageLabel: 'Lingua',
    save: 'Salva',
    saved: 'La tua scelta è salvata.',
    leave: 'Annulla l’iscrizione',
    nothingChosen: 'Scegli almeno un servizio.',
    manage: 'Scegli che cosa ricevi',
    chatTitle: 'Nella tua chat',
    chatText:
      'Crea un webhook in ingresso in Slack, Discord o Teams e incolla il suo indirizzo. Lì viene pubblicato un messaggio con un link per confermare.',
    chatKind: 'Dove',
    chatProgram: 'Altro (JSON)',
    chatUrl: 'Indirizzo del webhook',
    chatSend: 'Iscrivi la chat',
    chatSentTitle: 'Guarda nella tua chat',
    chatSentText:
      'Se è possibile pubblicare lì, un messaggio con un link è in arrivo. Apri il link per confermare l’iscrizione.',
  },
  nl: {
    language: 'nl',
    title: 'Uw abonnement',
    text: (page) => `Kies wat u van ${page} hoort.`,
    what: 'Wat u hoort',
    everything: 'Alle diensten',
    some: 'Alleen deze diensten',
    someNote: 'U hoort ook wat de hele pagina betreft.',
    reminders: 'Herinner mij een dag en een uur voor onderhoud',
    languageLabel: 'Taal',
    save: 'Opslaan',
    saved: 'Uw keuze is opgeslagen.',
    leave: 'Afmelden',
    nothingChosen: 'Kies ten minste één dienst.',
    manage: 'Kiezen wat u hoort',
    chatTitle: 'In uw chat',
    chatText:
      'Maak in Slack, Discord of Teams een inkomende webhook en plak het adres. Daar verschijnt een bericht met een link om te bevestigen.',
    chatKind: 'Waar',
    chatProgram: 'Anders (JSON)',
    chatUrl: 'Adres van de webhook',
    chatSend: 'Chat aanmelden',
    chatSentTitle: 'Kijk in uw chat',
    chatSentText:
      'Als daar een bericht kan verschijnen, is er een met een link onderweg. Open de link om het abonnement te bevestigen.',
  },
  ja: {
    language: 'ja',
    title: '購読内容',
    text: (page) => `${page}から受け取る内容を選択してください。`,
    what: '受け取る内容',
    everything: 'すべてのサービス',
    some: '次のサービスのみ',
    someNote: 'ページ全体に関わるお知らせも届きます。',
    reminders: 'メンテナンスの1日前と1時間前に通知する',
    languageLabel: '言語',
    save: '保存',
    saved: '選択内容を保存しました。',
    leave: '購読を解除',
    nothingChosen: 'サービスを1つ以上選択してください。',
    manage: '受け取る内容を選択',
    chatTitle: 'チャットで受け取る',
    chatText:
      'Slack、Discord、Teams で Incoming Webhook を作成し、そのアドレスを貼り付けてください。確認用のリンクを含むメッセージが投稿されます。',
    chatKind: '送信先',
    chatProgram: 'その他（JSON）',
    chatUrl: 'Webhook のアドレス',
    chatSend: 'チャットを登録',
    chatSentTitle: 'チャットをご確認ください',
    chatSentText:
      '投稿できる場合は、リンクを含むメッセージが届きます。リンクを開いて購読を確認してください。',
  },
} satisfies Record<string, ChoicePhrases>;
