import type { Page } from 'playwright-core';

/** A picture of the dashboard of the demo. `act` brings the screen into the state that the picture shows. */
export type Picture = { name: string; path: string; act?(page: Page): Promise<void> };

export const devices = ['desktop', 'phone'] as const;
export const schemes = ['light', 'dark'] as const;

/** The file of a picture, in docs/images/dashboard/. */
export function pictureFile(
  name: string,
  device: (typeof devices)[number],
  scheme: (typeof schemes)[number],
): string {
  return `${name}-${device}-${scheme}.webp`;
}

const page = '/manage/pages/demo';

/** Every screen, in the order of docs/dashboard.md. */
export const pictures: readonly Picture[] = [
  { name: 'pages', path: '/manage' },
  { name: 'overview', path: page },
  { name: 'traffic', path: `${page}/traffic?from=now-1d&to=now&compare=previous` },
  { name: 'service', path: `${page}/traffic?from=now-3d&to=now&service=shop` },
  {
    name: 'slow-endpoint',
    path: `${page}/traffic?from=now-3d&to=now&service=shop&endpoint=%2Fproducts%2F%3Aid%2Freviews`,
  },
  {
    name: 'failing-endpoint',
    path: `${page}/traffic?from=now-3d&to=now&service=shop&endpoint=%2Fcheckout`,
  },
  { name: 'reporters', path: `${page}/reporters` },
  { name: 'databases', path: `${page}/databases?from=now-6h&to=now` },
  { name: 'monitors', path: `${page}/monitors` },
  { name: 'monitor', path: `${page}/monitors?monitor=search` },
  {
    name: 'sql',
    path: `${page}/sql`,
    act: async (tab) => {
      await tab.getByText('Slowest endpoints').first().click();
      await tab.getByRole('button', { name: /^Run/ }).first().click();
      await tab.locator('main td').first().waitFor();
    },
  },
  {
    name: 'palette',
    path: page,
    act: async (tab) => {
      await tab.keyboard.press('Control+k');
      await tab.keyboard.type('check');
      await tab.getByRole('option', { name: '/checkout' }).first().waitFor();
    },
  },
  { name: 'installation', path: '/manage/installation' },
  { name: 'account', path: '/manage/account' },
];
