import type { Browser } from 'playwright-core';
import type { Test } from 'tap';
import { launchChromium } from '../../bench/support/chromium.js';
import { closeAtEnd } from './process-end.js';

let shared: Promise<Browser> | undefined;

/**
 * Lends the headless Chromium of this process, which starts with its first test. Visits have contexts of their own. The
 * machine needs nothing installed: the package brings the libraries and a font.
 */
export function openBrowser(t: Test): Promise<Browser> {
  shared ??= startBrowser(t);
  return shared;
}

async function startBrowser(t: Test): Promise<Browser> {
  const browser = await launchChromium();
  closeAtEnd(t, async () => {
    shared = undefined;
    await browser.close();
  });
  return browser;
}
