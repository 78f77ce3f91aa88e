import type { Page } from 'playwright-core';
import type { Picture } from './picture.js';

const page = '/manage/pages/demo';

/** Where programs get notices, and who may do what. */
export const settingsPictures: readonly Picture[] = [
  { name: 'webhooks', path: `${page}/webhooks` },
  { name: 'webhook', path: `${page}/webhooks`, act: sendTest },
  { name: 'channels', path: `${page}/channels` },
  { name: 'new-channel', path: `${page}/channels?new=channel` },
  {
    name: 'alert-rule',
    path: `${page}/rules?new=failure-rate`,
    act: async (tab) => {
      await tab.getByLabel('Fails at').fill('3');
      await tab.getByText('It would have fired').first().waitFor();
      await tab.waitForLoadState('networkidle');
    },
  },
  { name: 'rules', path: `${page}/rules` },
  { name: 'objectives', path: `${page}/objectives` },
  { name: 'keys', path: `${page}/keys` },
  { name: 'new-key', path: `${page}/keys?new=key` },
  { name: 'people', path: `${page}/people` },
  { name: 'invite', path: `${page}/people?new=invitation` },
  {
    name: 'audit',
    path: `${page}/audit?action=page.update`,
    act: async (tab) => {
      await tab.locator('.audit-line button').first().click();
      await tab.locator('.audit-details').first().waitFor();
    },
  },
  { name: 'connections', path: `${page}/connections` },
  { name: 'event-store', path: `${page}/event-store` },
  {
    name: 'installation-users',
    path: '/manage/installation',
    act: async (tab) => {
      const heading = tab.getByRole('heading', { name: 'People', exact: true });
      await heading.waitFor();
      await heading.evaluate((element) => element.scrollIntoView({ block: 'start' }));
    },
  },
  { name: 'new-page', path: '/manage?new=page' },
];

/** The receiver of the demo has a name that no name server knows, so the attempt fails. */
async function sendTest(tab: Page): Promise<void> {
  await tab.locator('a.row-link').first().click();
  await tab.getByRole('button', { name: 'Send a test' }).click();
  await tab.locator('main td').first().waitFor();
  await tab.locator('main td', { hasText: 'not tried yet' }).first().waitFor({ state: 'detached' });
  await tab.waitForLoadState('networkidle');
}
