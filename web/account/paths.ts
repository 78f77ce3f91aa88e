/** Paths of the pages on which people sign in and manage their account, on the host of the service. */
export const accountPaths = {
  home: '/manage',
  signIn: '/manage/sign-in',
  code: '/manage/sign-in/code',
  provider: '/manage/sign-in/provider',
  /** Where the identity provider sends people back to; operators register it there. */
  providerAnswer: '/manage/sign-in/answer',
  signOut: '/manage/sign-out',
  setup: '/manage/setup',
  invitation: '/manage/invitation',
  /** Shows the invitation that was opened last in this browser. */
  keptInvitation: '/manage/invitation?kept=yes',
  acceptInvitation: '/manage/invitation/accept',
  reset: '/manage/reset',
  forgot: '/manage/forgot',
} as const;
