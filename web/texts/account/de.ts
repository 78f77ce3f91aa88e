import type { AccountTexts } from './account-texts.js';

export const de: AccountTexts = {
  languages: 'Sprache',
  email: 'E-Mail',
  password: 'Passwort',
  newPassword: 'Neues Passwort',
  newPasswordNote: 'Mindestens 12 Zeichen. Gut sind mehrere Wörter ohne Zusammenhang.',
  name: 'Ihr Name',
  nameNote: 'Andere sehen ihn neben den Änderungen, die Sie vornehmen.',
  linkCode: 'Code aus dem Link',
  linkCodeNote: 'Fügen Sie alles ein, was im Link hinter # steht.',
  signIn: {
    title: 'Anmelden',
    text: 'Verwalten Sie Ihre Statusseiten, Monitore und Störungen.',
    button: 'Anmelden',
    forgot: 'Passwort vergessen?',
    or: 'oder',
    withProvider: (host) => `Weiter mit ${host}`,
    providerOnly: 'Die Anmeldung erfolgt hier über den Identitätsanbieter.',
    notSetUp:
      'Diese Installation ist noch nicht eingerichtet. Den Link dafür gibt der Dienst beim Start auf seiner Konsole aus; auch „heartline user invite --admin --email you@example.com“ gibt einen aus.',
    signedOut: 'Sie sind abgemeldet.',
    passwordChanged: 'Ihr Passwort ist geändert. Melden Sie sich mit dem neuen an.',
  },
  code: {
    title: 'Bestätigen Sie, dass Sie es sind',
    text: 'Geben Sie die sechs Ziffern ein, die Ihre Authenticator-App zeigt.',
    button: 'Bestätigen',
    label: 'Code',
    note: 'Ohne Ihr Telefon geben Sie einen Ihrer Wiederherstellungscodes ein. Jeder gilt einmal.',
    again: 'Von vorn beginnen',
  },
  setup: {
    title: 'Heartline einrichten',
    text: 'Ihr Konto verwaltet diese Installation: ihre Seiten, ihre Benutzer und ihre Einstellungen.',
    demo: 'Die Seite „demo“ wird Ihnen gehören.',
    button: 'Konto anlegen',
  },
  invitation: {
    title: 'Sie sind eingeladen',
    text: 'Geben Sie den Code aus Ihrer Einladung ein. Dann sehen Sie, wer Sie wozu einlädt.',
    open: 'Weiter',
    toPage: (inviter, page) => `${inviter} lädt Sie ein, die Statusseite ${page} mit zu betreuen.`,
    toInstallation: (inviter) =>
      `${inviter} lädt Sie ein, diese Installation mit allen Seiten mit zu verwalten.`,
    role: 'Ihre Rolle',
    for: 'Für',
    newAccount: 'Wählen Sie einen Namen und ein Passwort, um Ihr Konto anzulegen.',
    unprovenAccount:
      'Für diese Adresse gibt es ein Konto, doch noch niemand hat nachgewiesen, dass ihm die Adresse gehört. Mit diesem Link wird es Ihres: Wählen Sie einen Namen und ein Passwort. Das bisherige Passwort, die Authenticator-App und die Sitzungen enden.',
    existingAccount: 'Sie haben bereits ein Konto. Melden Sie sich an, um die Einladung anzunehmen.',
    haveAccount: 'Haben Sie bereits ein Konto?',
    notCreated:
      'Es wurde kein Konto angelegt. Wenn Sie eines haben, melden Sie sich an; sonst öffnen Sie den Link in Ihrer E-Mail oder fragen Sie einen Administrator.',
    accept: 'Einladung annehmen',
    otherAccount: (email) =>
      `Sie sind als ${email} angemeldet. Melden Sie sich zuerst ab, um diese Einladung anzunehmen.`,
  },
  reset: {
    title: 'Neues Passwort wählen',
    text: 'Danach sind Sie auf allen Geräten abgemeldet.',
    button: 'Passwort speichern',
  },
  forgot: {
    title: 'Passwort vergessen?',
    text: 'Geben Sie Ihre E-Mail-Adresse ein. Wir senden Ihnen einen Link, mit dem Sie ein neues Passwort wählen können.',
    button: 'Link senden',
    sentTitle: 'Sehen Sie in Ihrer Mail nach',
    sentText: 'Wenn es zu dieser Adresse ein Konto gibt, ist ein Link unterwegs. Er gilt einen Tag.',
    back: 'Zurück zur Anmeldung',
  },
  signOut: 'Abmelden',
  dashboard: {
    title: 'Dashboard',
    needsScript:
      'Für das Dashboard braucht Ihr Browser JavaScript. Alles andere geht auch über die API und die Kommandozeile.',
  },
  roles: { viewer: 'Betrachter', responder: 'Bereitschaft', editor: 'Bearbeiter', owner: 'Inhaber' },
  roleNotes: {
    viewer: 'sieht alles, ändert nichts',
    responder: 'schreibt Störungen und Wartungen',
    editor: 'ändert auch Monitore, die Seite und ihre Benachrichtigungen',
    owner: 'verwaltet auch Schlüssel, Benutzer und die Ereignisdatenbank',
  },
  errors: {
    refused: 'E-Mail, Passwort oder Code stimmen nicht.',
    codeRefused:
      'Dieser Code ist falsch oder wurde schon verwendet. Versuchen Sie den nächsten, den Ihre App zeigt.',
    codeExpired: 'Das hat zu lange gedauert. Melden Sie sich noch einmal an.',
    tooMany: (minutes) =>
      `Zu viele Fehlversuche. Versuchen Sie es in ${minutes} ${minutes === 1 ? 'Minute' : 'Minuten'} wieder.`,
    emailInvalid: 'Geben Sie eine E-Mail-Adresse ein, etwa ann@example.com.',
    passwordMissing: 'Geben Sie Ihr Passwort ein.',
    passwordLength: 'Wählen Sie ein Passwort mit 12 bis 200 Zeichen.',
    passwordCommon: 'Dieses Passwort verwenden viele. Wählen Sie ein anderes.',
    passwordOwn: 'Verwenden Sie nicht Ihren Namen oder Ihre E-Mail als Passwort.',
    nameInvalid: 'Geben Sie einen Namen mit höchstens 200 Zeichen in einer Zeile ein.',
    linkMissing: 'Fügen Sie den Code aus dem Link ein.',
    linkRefused:
      'Dieser Link ist abgelaufen, wurde schon verwendet oder ist unvollständig. Bitten Sie um einen neuen.',
    alreadySetUp:
      'Diese Installation ist schon eingerichtet. Melden Sie sich an, oder bitten Sie um eine Einladung.',
    otherOrigin: 'Das Formular kam nicht von dieser Seite. Senden Sie es noch einmal.',
    providerDown: 'Der Identitätsanbieter antwortet nicht. Versuchen Sie es gleich noch einmal.',
    providerRefused:
      'Die Anmeldung beim Identitätsanbieter ist fehlgeschlagen. Versuchen Sie es noch einmal.',
    providerUnknown: 'Hier gibt es kein Konto für Sie. Bitten Sie um eine Einladung.',
    providerCode: (code) =>
      `Die Anmeldung beim Identitätsanbieter hat nicht geklappt (${code}). Versuchen Sie es noch einmal, oder nennen Sie diesen Code in Ihrer Administration.`,
    providerNoEmail:
      'Der Identitätsanbieter hat Ihre E-Mail-Adresse nicht gesendet. Bitten Sie Ihre Administration um den Scope oder den Claim „email“.',
    providerEmailDenied:
      'Laut Identitätsanbieter ist Ihre E-Mail-Adresse nicht bestätigt. Bitten Sie Ihre Administration, sie dort zu bestätigen.',
    providerEmailUnstated:
      'Der Identitätsanbieter sagt nicht, ob Ihre E-Mail-Adresse bestätigt ist. Bitten Sie Ihre Administration um den Claim „email_verified“ oder um HEARTLINE_OIDC_TRUST_EMAIL=on.',
    providerTooManyGroups:
      'Sie sind in mehr Gruppen, als der Identitätsanbieter sendet. Bitten Sie Ihre Administration, nur die Gruppen dieser Anwendung zu senden.',
    providerOtherIdentity:
      'Das Konto mit Ihrer E-Mail-Adresse gehört zu einer anderen Identität. Bitten Sie einen Admin dieser Installation, dessen Adresse zu ändern.',
    busy: 'Der Dienst ist gerade ausgelastet. Versuchen Sie es gleich noch einmal.',
  },
};
