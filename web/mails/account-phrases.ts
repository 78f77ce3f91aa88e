import { inLanguage } from '../../lib/locale/language.js';
import type { AccountTexts } from '../texts/account/account-texts.js';
import { accountTexts } from '../texts/account/languages.js';

/** The phrases of emails to people with an account. Who invites to what is worded as on the page of the invitation. */
export type AccountPhrases = {
  /** Language of these phrases; BCP 47 tag. */
  language: string;
  invitation: Pick<AccountTexts['invitation'], 'toPage' | 'toInstallation' | 'role'> & {
    /** Takes the name of the page, or of the product. */
    subject: (name: string) => string;
    button: string;
    note: string;
  };
  /** `firstProof` follows the text where the link proves the email for the first time. */
  reset: { subject: string; text: string; firstProof: string; button: string; note: string };
  test: { subject: string; text: string; note: string };
  roles: AccountTexts['roles'];
};

/** Returns the phrases in a language, in its base language, or in English. */
export function accountPhrases(language: string): AccountPhrases {
  const { invitation, reset, test, ...own } = inLanguage<OwnPhrases>(phrases, language);
  const { roles, invitation: texts } = accountTexts(own.language);
  const { toPage, toInstallation, role } = texts;
  return { ...own, invitation: { ...invitation, toPage, toInstallation, role }, reset, test, roles };
}

type OwnPhrases = Pick<AccountPhrases, 'language' | 'reset' | 'test'> & {
  invitation: Pick<AccountPhrases['invitation'], 'subject' | 'button' | 'note'>;
};

const phrases = {
  en: {
    language: 'en',
    invitation: {
      subject: (name) => `You are invited to ${name}`,
      button: 'See the invitation',
      note: 'The link works once, for seven days. If you do not expect this email, ignore it: nothing happens without you.',
    },
    reset: {
      subject: 'Choose a new password',
      text: 'Somebody asked for a link to choose a new password for your account.',
      firstProof:
        'The link also proves for the first time that this address is yours: with the new password, an authenticator app and recovery codes that were set up before end.',
      button: 'Choose a password',
      note: 'The link works once, for one day. If it was not you, ignore this email: your password stays as it is.',
    },
    test: {
      subject: 'Test mail',
      text: 'This is a test: the mail server takes emails from Heartline.',
      note: 'Somebody who runs the installation has asked for it, with this address.',
    },
  },
  de: {
    language: 'de',
    invitation: {
      subject: (name) => `Einladung zu ${name}`,
      button: 'Einladung ansehen',
      note: 'Der Link gilt einmal und sieben Tage lang. Wenn Sie diese E-Mail nicht erwarten, ignorieren Sie sie: Ohne Sie geschieht nichts.',
    },
    reset: {
      subject: 'Neues Passwort wählen',
      text: 'Jemand hat für Ihr Konto einen Link angefordert, mit dem Sie ein neues Passwort wählen können.',
      firstProof:
        'Mit dem Link weisen Sie auch zum ersten Mal nach, dass Ihnen diese Adresse gehört: Mit dem neuen Passwort enden eine bisherige Authenticator-App und ihre Wiederherstellungscodes.',
      button: 'Passwort wählen',
      note: 'Der Link gilt einmal und einen Tag lang. Wenn Sie das nicht waren, ignorieren Sie diese E-Mail: Ihr Passwort bleibt, wie es ist.',
    },
    test: {
      subject: 'Test-Mail',
      text: 'Das ist ein Test: Der Mailserver nimmt E-Mails von Heartline an.',
      note: 'Jemand, der die Installation betreibt, hat ihn mit dieser Adresse angefordert.',
    },
  },
  fr: {
    language: 'fr',
    invitation: {
      subject: (name) => `Invitation à rejoindre ${name}`,
      button: 'Voir l’invitation',
      note: 'Le lien sert une fois et reste valable sept jours. Si vous n’attendez pas cet e-mail, ignorez-le : rien ne se passe sans vous.',
    },
    reset: {
      subject: 'Choisir un nouveau mot de passe',
      text: 'Quelqu’un a demandé un lien pour choisir un nouveau mot de passe pour votre compte.',
      firstProof:
        'Ce lien prouve aussi pour la première fois que cette adresse vous appartient : avec le nouveau mot de passe, l’application d’authentification et les codes de secours configurés auparavant prennent fin.',
      button: 'Choisir un mot de passe',
      note: 'Le lien sert une fois et reste valable un jour. Si ce n’était pas vous, ignorez cet e-mail : votre mot de passe reste tel quel.',
    },
    test: {
      subject: 'E-mail de test',
      text: 'Ceci est un test : le serveur de messagerie accepte les e-mails de Heartline.',
      note: 'Une personne qui gère l’installation l’a demandé avec cette adresse.',
    },
  },
  es: {
    language: 'es',
    invitation: {
      subject: (name) => `Tiene una invitación a ${name}`,
      button: 'Ver la invitación',
      note: 'El enlace sirve una vez, durante siete días. Si no espera este correo, ignórelo: no pasa nada sin usted.',
    },
    reset: {
      subject: 'Elegir una contraseña nueva',
      text: 'Alguien pidió un enlace para elegir una contraseña nueva para su cuenta.',
      firstProof:
        'El enlace demuestra además por primera vez que esta dirección es suya: con la contraseña nueva terminan la aplicación de autenticación y los códigos de recuperación anteriores.',
      button: 'Elegir contraseña',
      note: 'El enlace sirve una vez, durante un día. Si no fue usted, ignore este correo: su contraseña sigue igual.',
    },
    test: {
      subject: 'Correo de prueba',
      text: 'Esto es una prueba: el servidor de correo acepta los correos de Heartline.',
      note: 'Lo ha pedido, con esta dirección, alguien que gestiona la instalación.',
    },
  },
  ja: {
    language: 'ja',
    invitation: {
      subject: (name) => `${name} への招待`,
      button: '招待を確認',
      note: 'リンクは 7 日間有効で、一度だけ使えます。心当たりがない場合は、このメールを無視してください。操作しない限り何も起こりません。',
    },
    reset: {
      subject: '新しいパスワードの設定',
      text: 'お使いのアカウントについて、新しいパスワードを設定するためのリンクが依頼されました。',
      firstProof:
        'このリンクは、このアドレスがご本人のものであることの最初の確認にもなります。新しいパスワードを設定すると、以前の認証アプリとリカバリーコードは無効になります。',
      button: 'パスワードを設定',
      note: 'リンクは 1 日有効で、一度だけ使えます。心当たりがない場合は、このメールを無視してください。パスワードは変わりません。',
    },
    test: {
      subject: 'テストメール',
      text: 'これはテストです。メールサーバーは Heartline からのメールを受け付けています。',
      note: 'このアドレスを使うインストールの管理者が送信しました。',
    },
  },
} satisfies Record<string, OwnPhrases>;
