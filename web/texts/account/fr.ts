import type { AccountTexts } from './account-texts.js';

export const fr: AccountTexts = {
  languages: 'Langue',
  email: 'E-mail',
  password: 'Mot de passe',
  newPassword: 'Nouveau mot de passe',
  newPasswordNote: 'Au moins 12 caractères. Quelques mots sans rapport conviennent bien.',
  name: 'Votre nom',
  nameNote: 'Les autres le voient à côté des changements que vous faites.',
  linkCode: 'Code du lien',
  linkCodeNote: 'Collez tout ce qui suit # dans le lien.',
  signIn: {
    title: 'Se connecter',
    text: 'Gérez vos pages d’état, vos moniteurs et vos incidents.',
    button: 'Se connecter',
    forgot: 'Mot de passe oublié ?',
    or: 'ou',
    withProvider: (host) => `Continuer avec ${host}`,
    providerOnly: 'Cette installation utilise un fournisseur d’identité pour la connexion.',
    notSetUp:
      'Personne n’a encore configuré cette installation. Le service affiche le lien dans sa console au démarrage ; « heartline user invite --admin --email you@example.com » en affiche un aussi.',
    signedOut: 'Déconnexion réussie.',
    passwordChanged: 'Votre mot de passe est changé. Connectez-vous avec le nouveau.',
  },
  code: {
    title: 'Confirmez que c’est vous',
    text: 'Saisissez les six chiffres que votre application d’authentification affiche.',
    button: 'Confirmer',
    label: 'Code de vérification',
    note: 'Sans votre téléphone, saisissez un de vos codes de secours. Chacun sert une fois.',
    again: 'Recommencer',
  },
  setup: {
    title: 'Configurer Heartline',
    text: 'Votre compte gère cette installation : ses pages, ses utilisateurs et ses réglages.',
    demo: 'La page « demo » vous appartiendra.',
    button: 'Créer le compte',
  },
  invitation: {
    title: 'Vous avez reçu une invitation',
    text: 'Saisissez le code de votre invitation pour voir qui vous invite, et à quoi.',
    open: 'Continuer',
    toPage: (inviter, page) => `${inviter} vous invite à gérer la page d’état ${page}.`,
    toInstallation: (inviter) => `${inviter} vous invite à gérer cette installation et toutes ses pages.`,
    role: 'Votre rôle',
    for: 'Pour',
    newAccount: 'Choisissez un nom et un mot de passe pour créer votre compte.',
    unprovenAccount:
      'Un compte existe pour cette adresse, mais personne n’a encore prouvé qu’elle lui appartient. Ce lien vous l’attribue : choisissez un nom et un mot de passe. L’ancien mot de passe, l’application d’authentification et les sessions prennent fin.',
    existingAccount: 'Vous avez un compte. Connectez-vous pour accepter.',
    haveAccount: 'Avez-vous déjà un compte ?',
    notCreated:
      'Aucun compte n’a été créé. Si vous en avez un, connectez-vous pour accepter ; sinon, ouvrez le lien reçu par e-mail ou demandez à un administrateur.',
    accept: 'Accepter l’invitation',
    otherAccount: (email) =>
      `Vous êtes connecté en tant que ${email}. Déconnectez-vous d’abord pour accepter cette invitation.`,
  },
  reset: {
    title: 'Choisir un nouveau mot de passe',
    text: 'Vous serez ensuite déconnecté sur tous vos appareils.',
    button: 'Enregistrer le mot de passe',
  },
  forgot: {
    title: 'Mot de passe oublié ?',
    text: 'Saisissez votre e-mail : nous vous envoyons un lien pour en choisir un nouveau.',
    button: 'Envoyer le lien',
    sentTitle: 'Consultez vos e-mails',
    sentText:
      'S’il existe un compte avec cette adresse, un lien vient d’être envoyé. Il est valable un jour.',
    back: 'Retour à la connexion',
  },
  signOut: 'Se déconnecter',
  dashboard: {
    title: 'Tableau de bord',
    needsScript:
      'Le tableau de bord a besoin de JavaScript. Tout ce qu’il propose passe aussi par l’API et la ligne de commande.',
  },
  roles: { viewer: 'Lecteur', responder: 'Astreinte', editor: 'Éditeur', owner: 'Propriétaire' },
  roleNotes: {
    viewer: 'voit tout, ne change rien',
    responder: 'rédige les incidents et les maintenances',
    editor: 'modifie aussi les moniteurs, la page et ses notifications',
    owner: 'gère aussi les clés, les utilisateurs et la base d’événements',
  },
  errors: {
    refused: 'L’e-mail, le mot de passe ou le code est incorrect.',
    codeRefused: 'Ce code est incorrect ou a déjà servi. Essayez le suivant que votre application affiche.',
    codeExpired: 'Le délai est dépassé. Connectez-vous à nouveau.',
    tooMany: (minutes) =>
      `Trop de tentatives échouées. Réessayez dans ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}.`,
    emailInvalid: 'Saisissez une adresse e-mail, telle que ann@example.com.',
    passwordMissing: 'Saisissez votre mot de passe.',
    passwordLength: 'Choisissez un mot de passe de 12 à 200 caractères.',
    passwordCommon: 'Beaucoup de gens utilisent ce mot de passe. Choisissez-en un autre.',
    passwordOwn: 'N’utilisez ni votre nom ni votre e-mail comme mot de passe.',
    nameInvalid: 'Saisissez un nom de 200 caractères au plus, sur une ligne.',
    linkMissing: 'Collez le code du lien.',
    linkRefused: 'Ce lien a expiré, a déjà servi ou est incomplet. Demandez-en un nouveau.',
    alreadySetUp: 'Cette installation est déjà configurée. Connectez-vous, ou demandez une invitation.',
    otherOrigin: 'Le formulaire ne vient pas de cette page. Envoyez-le à nouveau.',
    providerDown: 'Le fournisseur d’identité ne répond pas. Réessayez dans un instant.',
    providerRefused: 'La connexion avec le fournisseur d’identité a échoué. Réessayez.',
    providerUnknown: 'Il n’y a pas de compte pour vous ici. Demandez une invitation.',
    providerCode: (code) =>
      `La connexion avec le fournisseur d’identité a échoué (${code}). Réessayez, ou communiquez ce code à votre administrateur.`,
    providerNoEmail:
      'Le fournisseur d’identité n’a pas envoyé votre adresse e-mail. Demandez à votre administrateur le scope ou le claim « email ».',
    providerEmailDenied:
      'Selon le fournisseur d’identité, votre adresse e-mail n’est pas vérifiée. Demandez à votre administrateur de l’y vérifier.',
    providerEmailUnstated:
      'Le fournisseur d’identité n’indique pas si votre adresse e-mail est vérifiée. Demandez à votre administrateur le claim « email_verified » ou HEARTLINE_OIDC_TRUST_EMAIL=on.',
    providerTooManyGroups:
      'Vous êtes dans plus de groupes que le fournisseur d’identité n’en envoie. Demandez à votre administrateur de n’envoyer que les groupes de cette application.',
    providerOtherIdentity:
      'Le compte avec votre adresse e-mail appartient à une autre identité. Demandez à un administrateur de cette installation d’en changer l’adresse.',
    busy: 'Le service est très sollicité. Réessayez dans un instant.',
  },
};
