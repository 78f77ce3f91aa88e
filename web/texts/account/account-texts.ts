/** A page with a form: what it is for, and what its button says. */
type FormTexts = { title: string; text: string; button: string };

/** Texts of the pages on which people sign in, set up the installation, and accept invitations. */
export type AccountTexts = {
  languages: string;
  email: string;
  password: string;
  newPassword: string;
  newPasswordNote: string;
  name: string;
  nameNote: string;
  /** The part of a link behind the number sign, which people paste where no script runs. */
  linkCode: string;
  linkCodeNote: string;
  signIn: FormTexts & {
    forgot: string;
    or: string;
    /** Takes the host name of the identity provider. */
    withProvider: (host: string) => string;
    /** For installations where people sign in with the identity provider only. */
    providerOnly: string;
    notSetUp: string;
    signedOut: string;
    passwordChanged: string;
  };
  code: FormTexts & { label: string; note: string; again: string };
  setup: FormTexts & {
    /** What the first person gets, besides the installation. */
    demo: string;
  };
  invitation: {
    title: string;
    /** The first step, which shows whose invitation it is. */
    text: string;
    open: string;
    /** Take the name of who invites, and of the page. */
    toPage: (inviter: string, page: string) => string;
    toInstallation: (inviter: string) => string;
    role: string;
    for: string;
    newAccount: string;
    /** For the holder of the link in an email, where somebody has made an account with another link. */
    unprovenAccount: string;
    existingAccount: string;
    /** Stands before a link that leads to the sign-in. */
    haveAccount: string;
    /** Answers a form for an account where there is one; whoever invites may read it. */
    notCreated: string;
    accept: string;
    /** Takes the email of the person who is signed in. */
    otherAccount: (email: string) => string;
  };
  reset: FormTexts;
  forgot: FormTexts & { sentTitle: string; sentText: string; back: string };
  signOut: string;
  dashboard: {
    title: string;
    /** Stands there for browsers without scripts. */
    needsScript: string;
  };
  roles: Record<'viewer' | 'responder' | 'editor' | 'owner', string>;
  /** What the permissions of a role come to, in a few words. */
  roleNotes: Record<'viewer' | 'responder' | 'editor' | 'owner', string>;
  errors: {
    /** The same for every failed sign-in. */
    refused: string;
    codeRefused: string;
    codeExpired: string;
    /** Takes the minutes until the next try, at least 1. */
    tooMany: (minutes: number) => string;
    emailInvalid: string;
    passwordMissing: string;
    passwordLength: string;
    passwordCommon: string;
    /** The password is the name or the email. */
    passwordOwn: string;
    nameInvalid: string;
    linkMissing: string;
    linkRefused: string;
    alreadySetUp: string;
    otherOrigin: string;
    providerDown: string;
    providerRefused: string;
    providerUnknown: string;
    /** `code` is that of the provider, or of the check. */
    providerCode(code: string): string;
    providerNoEmail: string;
    providerEmailDenied: string;
    providerEmailUnstated: string;
    providerTooManyGroups: string;
    providerOtherIdentity: string;
    busy: string;
  };
};
