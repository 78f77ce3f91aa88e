import type { Browser } from 'playwright-core';
import { line, median } from '../support/report.js';
import { emptySlug } from './fill.js';
import { openTab, openUntilDrawn, type State } from './visitor.js';

const rounds = 7;

/** Screens of a page by the last part of their address. */
const screens: readonly { name: string; path: string }[] = [
  { name: 'overview', path: '' },
  { name: 'traffic', path: '/traffic' },
  { name: 'traffic, 14 days', path: '/traffic?from=now-14d&to=now' },
  { name: 'a service', path: '/traffic?service=service-7' },
  { name: 'reporters', path: '/reporters' },
  { name: 'databases', path: '/databases' },
  { name: 'monitors', path: '/monitors' },
  { name: 'sql', path: '/sql' },
];

/**
 * Measures the time from the start of a navigation until each screen has drawn its figures, on a warm service and with a
 * warm cache of the browser, next to the same screen of a page without data.
 */
export async function measureScreens(
  browser: Browser,
  { url, slug, state }: { url: string; slug: string; state: State },
): Promise<void> {
  const { context, page } = await openTab(browser, url, state);
  line(`\ntime to figures, medians of ${rounds} loads`);
  for (const { name, path } of screens) {
    const times = { full: [] as number[], empty: [] as number[] };
    for (let round = 0; round <= rounds; round += 1) {
      const full = await openUntilDrawn(page, `/manage/pages/${slug}${path}`);
      const empty = await openUntilDrawn(page, `/manage/pages/${emptySlug}${path}`);
      // The first load warms the caches.
      if (round === 0) continue;
      times.full.push(full);
      times.empty.push(empty);
    }
    const [full, empty] = [median(times.full), median(times.empty)];
    line(
      `  ${name.padEnd(20)} ${full.toFixed(0).padStart(5)} ms  empty page ${empty.toFixed(0).padStart(5)} ms  ratio ${(full / empty).toFixed(2)}`,
    );
  }
  await context.close();
}
