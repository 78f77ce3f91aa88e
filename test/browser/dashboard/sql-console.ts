import type { Page } from 'playwright-core';
import type { Test } from 'tap';
import { insertReports, insertRequests } from '../../analytics/support.js';
import { openBrowser } from '../../support/browser.js';
import { visitDashboard } from '../../support/dashboard-visit.js';
import { startTestService, withoutJobs } from '../../support/service.js';

export const screen = '/manage/pages/acme/sql';

/** Starts the service with six hours of requests of the page `acme`, and a browser for two people of it. */
export async function openConsole(t: Test) {
  const service = await startTestService(t, { roles: withoutJobs });
  const { clickhouse } = service.stores;
  const browser = await openBrowser(t);
  const editor = { browser, service, as: { slug: 'acme', role: 'editor' } } as const;
  const viewer = { browser, service, as: { slug: 'acme', role: 'viewer' } } as const;
  const now = Date.now();
  await insertRequests(
    clickhouse,
    service.pageId,
    Array.from({ length: 72 }, (_, i) => [
      { at: now - i * 300_000, endpoint: '/cart', latencyMs: [10 + i, 40] },
      {
        at: now - i * 300_000,
        endpoint: '/pay',
        status: i % 4 === 0 ? 503 : 200,
        latencyMs: [300],
        message: 'no',
      },
    ]).flat(),
  );
  await insertReports(clickhouse, service.pageId, { kind: 'service', service: 'api' }, [now]);
  return { clickhouse, editor, viewer };
}

/**
 * Opens the dashboard for somebody who writes SQL. A text that is half written may look like a query that the service then
 * refuses to estimate, for which the console has a line at any time: here every text reads nothing.
 */
export const visitConsole: typeof visitDashboard = async (t, who, options) => {
  const visit = await visitDashboard(t, who, options);
  await visit.page.route(/\/sql\/estimate$/, (route) =>
    route.fulfill({ json: { tables: [], rows: 0, bytes: 0 } }),
  );
  return visit;
};

export const field = (page: Page) => page.getByRole('textbox', { name: 'Statement' });

/** Replaces the statement as a person does. */
export async function write(page: Page, sql: string): Promise<void> {
  await field(page).click();
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText(sql);
}

export const result = (page: Page) => page.getByRole('region', { name: 'Result' });
export const written = (page: Page) => field(page).textContent();
