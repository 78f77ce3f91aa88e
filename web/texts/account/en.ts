import type { AccountTexts } from './account-texts.js';

export const en: AccountTexts = {
  languages: 'Language',
  email: 'Email',
  password: 'Password',
  newPassword: 'New password',
  newPasswordNote: 'At least 12 characters. A few unrelated words work well.',
  name: 'Your name',
  nameNote: 'Others see it beside the changes that you make.',
  linkCode: 'Code from the link',
  linkCodeNote: 'Paste everything that follows # in the link.',
  signIn: {
    title: 'Sign in',
    text: 'Manage your status pages, monitors and incidents.',
    button: 'Sign in',
    forgot: 'Forgot your password?',
    or: 'or',
    withProvider: (host) => `Continue with ${host}`,
    providerOnly: 'This installation signs people in with its identity provider.',
    notSetUp:
      'Nobody has set up this installation yet. The service prints the link for that on its console when it starts; “heartline user invite --admin --email you@example.com” prints one as well.',
    signedOut: 'You are signed out.',
    passwordChanged: 'Your password is changed. Sign in with the new one.',
  },
  code: {
    title: 'Confirm that it is you',
    text: 'Enter the six digits that your authenticator app shows.',
    button: 'Confirm',
    label: 'Code',
    note: 'Without your phone, enter one of your recovery codes. Each works once.',
    again: 'Start over',
  },
  setup: {
    title: 'Set up Heartline',
    text: 'Your account will run this installation: its pages, its people and its settings.',
    demo: 'The page “demo” will belong to you.',
    button: 'Create account',
  },
  invitation: {
    title: 'You are invited',
    text: 'Enter the code from your invitation to see who invites you, and to what.',
    open: 'Continue',
    toPage: (inviter, page) => `${inviter} invites you to help run the status page ${page}.`,
    toInstallation: (inviter) => `${inviter} invites you to help run this installation and all its pages.`,
    role: 'Your role',
    for: 'For',
    newAccount: 'Choose a name and a password to create your account.',
    unprovenAccount:
      'There is an account for this address, but nobody has proved yet that the address is theirs. With this link it becomes yours: choose a name and a password. The password, the authenticator app and the sessions of before end.',
    existingAccount: 'You have an account. Sign in to accept.',
    haveAccount: 'Do you have an account already?',
    notCreated:
      'No account was created. If you have one, sign in to accept; otherwise open the link in your email, or ask an admin.',
    accept: 'Accept invitation',
    otherAccount: (email) => `You are signed in as ${email}. Sign out first to accept this invitation.`,
  },
  reset: {
    title: 'Choose a new password',
    text: 'This signs you out on all devices.',
    button: 'Save password',
  },
  forgot: {
    title: 'Forgot your password?',
    text: 'Enter your email, and we send you a link to choose a new one.',
    button: 'Send link',
    sentTitle: 'Check your mail',
    sentText: 'If there is an account with this email, a link is on its way. It works for one day.',
    back: 'Back to sign-in',
  },
  signOut: 'Sign out',
  dashboard: {
    title: 'Dashboard',
    needsScript:
      'The dashboard needs JavaScript. Everything in it also works through the API and the command line.',
  },
  roles: { viewer: 'Viewer', responder: 'Responder', editor: 'Editor', owner: 'Owner' },
  roleNotes: {
    viewer: 'sees everything, changes nothing',
    responder: 'writes incidents and maintenance',
    editor: 'also changes monitors, the page and its notifications',
    owner: 'also manages keys, people and the event store',
  },
  errors: {
    refused: 'The email, the password or the code is wrong.',
    codeRefused: 'This code is wrong or was used before. Try the next one that your app shows.',
    codeExpired: 'That took too long. Sign in again.',
    tooMany: (minutes) =>
      `Too many failed tries. Try again in ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}.`,
    emailInvalid: 'Enter an email address, such as ann@example.com.',
    passwordMissing: 'Enter your password.',
    passwordLength: 'Choose a password of 12 to 200 characters.',
    passwordCommon: 'Many people use this password. Choose another one.',
    passwordOwn: 'Do not use your name or your email as the password.',
    nameInvalid: 'Enter a name of at most 200 characters, on one line.',
    linkMissing: 'Paste the code from the link.',
    linkRefused: 'This link has expired, was used before, or is incomplete. Ask for a new one.',
    alreadySetUp: 'This installation is set up already. Sign in, or ask its admin for an invitation.',
    otherOrigin: 'The form did not come from this page. Send it again.',
    providerDown: 'The identity provider does not answer. Try again in a moment.',
    providerRefused: 'Signing in with the identity provider did not work. Try again.',
    providerUnknown: 'There is no account for you here. Ask an admin for an invitation.',
    providerCode: (code) =>
      `Signing in with the identity provider did not work (${code}). Try again, or tell your administrator this code.`,
    providerNoEmail:
      'The identity provider did not send your email. Ask your administrator to add the scope or the claim “email”.',
    providerEmailDenied:
      'The identity provider says that your email is not verified. Ask your administrator to verify it there.',
    providerEmailUnstated:
      'The identity provider does not say whether your email is verified. Ask your administrator for the claim “email_verified”, or for HEARTLINE_OIDC_TRUST_EMAIL=on.',
    providerTooManyGroups:
      'You are in more groups than the identity provider sends. Ask your administrator to send only the groups of this application.',
    providerOtherIdentity:
      'The account with your email belongs to another identity. Ask an admin of this installation to change its email.',
    busy: 'The service is busy. Try again in a moment.',
  },
};
