import type { Browser } from 'playwright-core';
import type { Test } from 'tap';
import { launchChromium } from '../../bench/support/chromium.js';

/**
 * Starts a headless Chromium from `npm ci` and closes it when the test ends. The machine needs nothing installed: the
 * package brings the libraries and a font.
 */
export async function openBrowser(t: Test): Promise<Browser> {
  const browser = await launchChromium();
  t.teardown(() => browser.close());
  return browser;
}
