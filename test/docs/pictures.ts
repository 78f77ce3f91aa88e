import type { Page } from 'playwright-core';
import type { Picture } from './picture.js';
import { publishingPictures } from './publishing-pictures.js';
import { settingsPictures } from './settings-pictures.js';

const page = '/manage/pages/demo';

/** Scrolls until the section with this heading is at the top. */
async function bringUp(tab: Page, heading: string): Promise<void> {
  const found = tab.getByRole('heading', { name: heading }).first();
  await found.evaluate((element) => element.scrollIntoView({ block: 'start' }));
}

/** Every screen: figures, the screens that publish, settings, and the installation. */
export const pictures: readonly Picture[] = [
  { name: 'pages', path: '/manage' },
  { name: 'overview', path: page },
  { name: 'traffic', path: `${page}/traffic?from=now-1d&to=now&compare=previous` },
  { name: 'service', path: `${page}/traffic?from=now-3d&to=now&service=shop` },
  {
    name: 'versions',
    path: `${page}/traffic?from=now-3d&to=now&service=shop`,
    act: (tab) => bringUp(tab, 'Versions'),
  },
  {
    name: 'slow-endpoint',
    path: `${page}/traffic?from=now-3d&to=now&service=shop&endpoint=%2Fproducts%2F%3Aid%2Freviews`,
  },
  {
    name: 'failing-endpoint',
    path: `${page}/traffic?from=now-3d&to=now&service=shop&endpoint=%2Fcheckout`,
  },
  {
    name: 'samples',
    path: `${page}/traffic?from=now-3d&to=now&service=shop&endpoint=%2Fcheckout`,
    act: async (tab) => {
      await tab
        .getByRole('button', { name: /^Samples: / })
        .first()
        .click();
      await tab.getByRole('link', { name: /Trace/ }).first().waitFor();
      await bringUp(tab, 'Messages of failures');
    },
  },
  { name: 'reporters', path: `${page}/reporters` },
  { name: 'databases', path: `${page}/databases?from=now-6h&to=now` },
  { name: 'deployments', path: `${page}/deployments` },
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
  { name: 'boards', path: `${page}/boards` },
  { name: 'board', path: `${page}/boards?board=golden-signals` },
  { name: 'board-service', path: `${page}/boards?board=one-service&service=shop` },
  { name: 'board-releases', path: `${page}/boards?board=releases&service=shop&from=now-3d&to=now` },
  { name: 'board-databases', path: `${page}/boards?board=databases` },
  { name: 'board-uptime', path: `${page}/boards?board=uptime-and-traffic` },
  { name: 'board-edit', path: `${page}/boards?board=golden-signals&edit=1` },
  {
    name: 'palette',
    path: page,
    act: async (tab) => {
      await tab.keyboard.press('Control+k');
      await tab.keyboard.type('check');
      await tab.getByRole('option', { name: '/checkout' }).first().waitFor();
    },
  },
  ...publishingPictures,
  ...settingsPictures,
  { name: 'installation', path: '/manage/installation' },
  { name: 'account', path: '/manage/account' },
];
