import { copyFile, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { launchChromium } from '../../bench/support/chromium.js';
import { freePort, startServiceProcess } from '../../bench/support/service-process.js';
import type { ReportersAnswer } from '../../contract/analytics/reporters.js';
import { handedFiles } from '../../service/hand-over.js';
import { runHeartline, startHeartline } from '../support/run-heartline.js';
import { waitInPage } from '../support/visit.js';
import { waitUntil } from '../support/wait-until.js';
import { devices, keptPictures, type Picture, pictureFile, schemes } from './picture.js';
import { pictures } from './pictures.js';

/**
 * Takes a picture of each screen of the dashboard into dist/docs/pictures/, and copies the ones that the docs show into
 * docs/images/dashboard/: starts a service on a temporary folder, fills it with the demo, signs in, and visits the
 * screens, light and dark, on a desktop and on a phone. `-- overview traffic` takes only these two screens.
 */
const folder = new URL('../../docs/pictures/', import.meta.url);
const keptFolder = new URL('../../../docs/images/dashboard/', import.meta.url);
const viewports = {
  desktop: { width: 1_440, height: 900 },
  phone: { width: 390, height: 844 },
} as const;
const quality = 80;
/** How often a picture is tried: a read may take longer than usual. */
const attempts = 3;
/** Nothing loads, and what moved has come to rest. */
const isAtRest = `document.querySelector('[aria-busy=true], .skeleton') === null &&
  document.getAnimations().every(({ playState, effect }) =>
    playState !== 'running' || effect.getComputedTiming().endTime === Infinity)`;

const only = process.argv.slice(2);
const chosen = pictures.filter(({ name }) => only.length === 0 || only.includes(name));
const dataDir = await mkdtemp(join(tmpdir(), 'heartline-pictures-'));
const env = {
  ...{ HEARTLINE_DATA_DIR: dataDir, PORT: String(await freePort()), LOG_LEVEL: 'warn' },
  HEARTLINE_OTLP_GRPC_PORT: '0',
  // Nothing listens there, so that no mail leaves this machine.
  HEARTLINE_SMTP_URL: 'smtp://127.0.0.1:9',
};
const service = await startServiceProcess({ ...env, PATH: process.env['PATH'] ?? '' }, () => {});
const setupLink = (await readFile(join(dataDir, handedFiles.setupLink), 'utf8')).trim();
try {
  const filled = await runHeartline(['demo', '--page', 'demo', '--once'], env, { timeoutMs: 300_000 });
  if (filled.code !== 0) throw new Error(filled.stderr);
  process.stdout.write(filled.stdout.split('\n')[0] ?? '');
  const demo = startHeartline(['demo', '--page', 'demo'], env, { timeoutMs: 600_000 });
  await waitUntil('the demo sends events', () => demo.stdout.includes('Sending events'), 120_000);
  const liveAt = Date.now();
  const browser = await launchChromium();
  const bytes = await takeAll(browser, liveAt);
  process.stdout.write(`\n${chosen.length * 4} pictures, ${(bytes / 1e6).toFixed(1)} MB\n`);
  await browser.close();
  demo.kill('SIGTERM');
  await demo.ended;
} finally {
  process.kill(service.pid, 'SIGTERM');
  await service.exited;
  await rm(dataDir, { recursive: true, force: true });
}

/** Returns the bytes of all pictures. */
async function takeAll(browser: Browser, liveAt: number): Promise<number> {
  await mkdir(folder, { recursive: true });
  const storageState = await signUp(browser, liveAt);
  let bytes = 0;
  for (const device of devices) {
    for (const colorScheme of schemes) {
      const context = await browser.newContext({
        ...{ baseURL: service.url, storageState, viewport: viewports[device], colorScheme },
        ...{ locale: 'en-US', timezoneId: 'Europe/Berlin' },
      });
      const page = await context.newPage();
      for (const picture of chosen) {
        const name = pictureFile(picture.name, device, colorScheme);
        const file = new URL(name, folder);
        await takeInTime(context, page, picture, file);
        if (keptPictures.includes(name)) await copyFile(file, new URL(name, keptFolder));
        bytes += (await stat(file)).size;
      }
      await context.close();
    }
  }
  return bytes;
}

/** Creates the first account, and waits until the reporters have called since a time. Returns the cookies. */
async function signUp(browser: Browser, liveAt: number) {
  const context = await browser.newContext({ baseURL: service.url });
  const page = await context.newPage();
  await page.goto(setupLink);
  await page.getByLabel('Your name').fill('Ann Lee');
  await page.getByLabel('Email').fill('ann@example.com');
  await page.getByLabel('New password').fill('violet harbour tin lamp');
  await page.locator('main form .button').first().click();
  await page.waitForURL(/manage$/);
  await waitUntil('the reporters have called', async () => {
    const answer = await context.request.get('/api/v1/pages/demo/analytics/reporters');
    const { reporters }: ReportersAnswer = await answer.json();
    return reporters.some(({ lastReportAt }) => Date.parse(lastReportAt ?? '') >= liveAt);
  });
  const state = await context.storageState();
  await context.close();
  return state;
}

/** Takes a picture, and once more when the screen does not come to rest. @throws Error after three attempts. */
async function takeInTime(context: BrowserContext, page: Page, picture: Picture, file: URL): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await take(context, page, picture, file);
      return;
    } catch (error) {
      if (attempt === attempts) throw new Error(`${picture.name} has no picture.`, { cause: error });
    }
  }
}

async function take(context: BrowserContext, page: Page, picture: Picture, file: URL): Promise<void> {
  await page.goto(picture.path);
  await page.locator('main h1').first().waitFor();
  // Some parts take no room until their answer is there.
  await page.waitForLoadState('networkidle');
  await waitInPage(page, isAtRest);
  await picture.act?.(page);
  await waitInPage(page, isAtRest);
  const session = await context.newCDPSession(page);
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality });
  await session.detach();
  await writeFile(file, Buffer.from(data, 'base64'));
}
