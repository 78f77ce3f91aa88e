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
  /** Shows the alerts of a message to whoever got it. */
  alertLink: '/manage/alert',
} as const;

/** Screens of a page in the dashboard, besides its overview; each is `/manage/pages/<slug>/<screen>`. */
export const pageScreens = [
  'traffic',
  'reporters',
  'databases',
  'deployments',
  'boards',
  'sql',
  'monitors',
  'incidents',
  'page',
  'subscribers',
  'webhooks',
  'channels',
  'reports',
  'alerts',
  'rules',
  'objectives',
  'on-call',
  'policies',
  'keys',
  'people',
  'connections',
  'event-store',
  'audit',
] as const;
export type PageScreen = (typeof pageScreens)[number];

/** An empty document in which the dashboard shows what readers would get. */
export const previewPath = '/manage/preview';

/** Screens of the dashboard that belong to no page. */
export const dashboardPaths = { account: '/manage/account', installation: '/manage/installation' } as const;

/** The path of a screen of a page; of its overview when no screen is given. */
export function screenPath(slug: string, screen?: PageScreen): string {
  const page = `${accountPaths.home}/pages/${encodeURIComponent(slug)}`;
  return screen === undefined ? page : `${page}/${screen}`;
}

/** Leads to a private page, which is on another host: `page` is its slug, `to` a path there. */
export const visitPath = '/manage/visit';

/** Where whoever has a link reads a board, on the host of the service. */
export const sharedBoardPages = '/boards';

/** Returns the path of the page that shows a shared board. */
export function sharedBoardPath(token: string): string {
  return `${sharedBoardPages}/${encodeURIComponent(token)}`;
}

/** The path of the report of a week or a month of a page, to read and to print. */
export function reportPath(slug: string, every: 'week' | 'month'): string {
  return `${screenPath(slug)}/reports/${every}`;
}
