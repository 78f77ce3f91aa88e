import type { Test } from 'tap';
import { Compile } from 'typebox/compile';
import { type Service, Summary } from '../../contract/public/summary.js';
import type { CreatePageInput, Page } from '../../control/pages/index.js';
import { dayMs, hourMs } from '../../lib/times.js';
import { makePage } from './pages.js';
import { requestAt } from './request-at.js';
import { type Answer, startTestService, type TestService, withoutJobs } from './service.js';

export type SummaryService = {
  api: TestService;
  /** The fixed time: 12:30 today, so that the store keeps the points of the year before. */
  now: number;
  /** A new page. Each rule needs its own, because the service keeps what it has read of a page in memory. */
  makeOwnPage(input?: Partial<CreatePageInput>): Promise<Page>;
  ask(slug: string, query?: string, headers?: Record<string, string>, method?: string): Promise<Answer>;
  /** Fails unless the answer matches the published description of a summary. */
  read(slug: string, query?: string): Promise<Summary>;
  /** The first service of a summary. */
  readService(slug: string, query?: string): Promise<Service>;
};

/** The service at a fixed time, with requests for summaries. */
export async function startSummaryService(t: Test): Promise<SummaryService> {
  const now = Math.floor(Date.now() / dayMs) * dayMs + 12.5 * hourMs;
  const api = await startTestService(t, { clock: { now: () => now }, roles: withoutJobs });
  const isSummary = Compile(Summary);
  let pages = 0;
  const ask: SummaryService['ask'] = (slug, query = '', headers = {}, method = 'GET') =>
    requestAt(api.url, `${slug}.localhost`, `/api/public/${slug}/summary${query}`, { headers, method });
  const read: SummaryService['read'] = async (slug, query) => {
    const { status, body } = await ask(slug, query);
    if (status !== 200 || !isSummary.Check(body)) throw new Error(`${status} ${JSON.stringify(body)}`);
    return body;
  };
  return {
    ...{ api, now, ask, read },
    makeOwnPage(input = {}) {
      pages += 1;
      return makePage(api.stores.sql, { slug: `page-${pages}`, ...input });
    },
    async readService(slug, query) {
      const [service] = (await read(slug, query)).services;
      if (service === undefined) throw new Error('The page has no service.');
      return service;
    },
  };
}
