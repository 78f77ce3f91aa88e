import type { Locator, Page } from 'playwright-core';
import type { Picture } from './picture.js';

const page = '/manage/pages/demo';
const incidents = `${page}/incidents`;
const settings = `${page}/page`;

/** The screens with which people run a page, in the order of docs/running-a-page.md. */
export const publishingPictures: readonly Picture[] = [
  { name: 'incidents', path: incidents },
  { name: 'composer', path: `${incidents}?new=incident`, act: writeIncident },
  { name: 'incident', path: incidents, act: openIncident },
  {
    name: 'incident-texts',
    path: incidents,
    act: async (tab) => {
      await openIncident(tab);
      await tab.getByRole('link', { name: 'German' }).click();
      await scrollTo(tab.getByRole('heading', { name: 'Texts in German' }));
    },
  },
  { name: 'templates', path: `${incidents}?view=templates` },
  { name: 'template', path: `${incidents}?view=templates&template=payments-fail` },
  { name: 'maintenance', path: `${incidents}?new=maintenance`, act: planMaintenance },
  { name: 'calendar', path: `${incidents}?view=calendar` },
  {
    name: 'series',
    path: `${incidents}?view=calendar`,
    act: async (tab) => {
      await tab.getByRole('button', { name: 'Change Updates of the servers' }).click();
      await tab.getByLabel('First start').waitFor();
    },
  },
  { name: 'new-monitor', path: `${page}/monitors?new=http`, act: tryMonitor },
  {
    name: 'chosen-monitors',
    path: `${page}/monitors`,
    act: async (tab) => {
      for (const name of ['API', 'Webhooks']) await tab.getByLabel(`Choose ${name}`, { exact: true }).check();
      await tab.getByText('2 monitors chosen').first().waitFor();
    },
  },
  { name: 'looks', path: settings, act: waitForFrame },
  { name: 'order', path: `${settings}?part=order` },
  { name: 'languages', path: `${settings}?part=languages` },
  { name: 'address', path: `${settings}?part=address` },
  { name: 'badges', path: `${settings}?part=badges` },
  { name: 'danger', path: `${settings}?part=danger` },
  { name: 'subscribers', path: `${page}/subscribers` },
  { name: 'import', path: `${page}/subscribers?view=import`, act: chooseFile },
  { name: 'mail-log', path: `${page}/subscribers?view=emails`, act: askReader },
];

async function scrollTo(place: Locator): Promise<void> {
  await place.waitFor();
  await place.evaluate((element) => element.scrollIntoView({ block: 'center' }));
}

async function openIncident(tab: Page): Promise<void> {
  await tab.locator('.incident-row a').first().click();
  await tab.getByRole('heading', { name: 'Timeline' }).waitFor();
  await tab.waitForLoadState('networkidle');
}

/** The service draws a preview a moment after the last key. */
async function waitForFrame(tab: Page): Promise<void> {
  await tab.locator('iframe').first().waitFor({ state: 'attached' });
  await tab.waitForLoadState('networkidle');
}

async function writeIncident(tab: Page): Promise<void> {
  await tab.getByRole('textbox', { name: 'Title', exact: true }).fill('Payments fail for some cards');
  await tab
    .getByRole('textbox', { name: 'What people should know', exact: true })
    .fill('Some card payments end with an error. **Invoices and PayPal work.**');
  await tab.getByRole('checkbox', { name: /^API/ }).check();
  await showPreview(tab, 'Payments fail for some cards');
}

async function planMaintenance(tab: Page): Promise<void> {
  await tab.getByRole('textbox', { name: 'Title', exact: true }).fill('Restart of the databases');
  await tab
    .getByRole('textbox', { name: 'What people should expect', exact: true })
    .fill('The dashboard is read-only for some minutes.');
  await tab.getByRole('checkbox', { name: /^Dashboard/ }).check();
  const day = new Date(Date.now() + 9 * 86_400_000).toISOString().slice(0, 10);
  await tab.getByLabel('Begins at').fill(`${day}T02:00`);
  await tab.getByLabel('Ends at').fill(`${day}T02:45`);
  const repeats = tab.getByLabel('Repeats');
  await repeats.selectOption('weekly');
  await tab.getByText('Dates by this rule').waitFor();
  await tab.waitForLoadState('networkidle');
  await scrollTo(tab.getByText('Dates by this rule'));
}

/** Waits until the preview has a text. On phones it stands behind a tab, and the form stays. */
async function showPreview(tab: Page, text: string): Promise<void> {
  const frame = tab.locator('iframe').first();
  if (await frame.isVisible()) await frame.contentFrame().getByText(text).first().waitFor();
  await tab.evaluate('window.scrollTo(0, 0)');
}

/** The demo has names that no name server knows, so the trial fails. */
async function tryMonitor(tab: Page): Promise<void> {
  await tab.getByLabel('Name', { exact: true }).fill('Checkout');
  await tab.getByLabel('Address', { exact: true }).fill('https://checkout.demo.invalid/health');
  await tab.getByRole('button', { name: 'Try it now' }).click();
  await tab.getByText('Name not found').first().waitFor();
}

async function chooseFile(tab: Page): Promise<void> {
  const rows = ['email,language,consent', 'lena@readers.invalid,de,yes', 'tom@readers.invalid,en,yes'];
  const buffer = Buffer.from([...rows, 'aiko@readers.invalid,ja,no', 'no address,en,yes'].join('\n'));
  await tab.locator('input[type=file]').setInputFiles({ name: 'readers.csv', mimeType: 'text/csv', buffer });
  await tab.getByText('The first rows').first().waitFor();
}

/** No mail server takes the mail that asks a reader to confirm: its attempts stay in the log. */
async function askReader(tab: Page): Promise<void> {
  await tab.request.post('/api/v1/pages/demo/subscribers', {
    headers: { 'Sec-Fetch-Site': 'same-origin' },
    data: { email: 'nina.berg@readers.invalid', confirmed: false },
  });
  await tab.reload();
  await tab.locator('main td').first().waitFor();
  await tab.waitForLoadState('networkidle');
}
