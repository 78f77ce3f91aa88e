import type { Send, Sending } from './send.js';

/** Number of answers by status; `none` means no answer. */
export type ReadCounts = { what: string; byStatus: Map<number | 'none', number> };

/** Statuses that reads may get while stores come and go. */
const expected = new Set<number | 'none'>([200, 304, 503, 'none']);

/** Reads the public summary, the status page and analytics, in turn. */
export function createReadLoad(
  send: Send,
  { host, slug, readKey }: Record<'host' | 'slug' | 'readKey', string>,
) {
  const minuteMs = 60_000;
  const range = () => `from=${isoOf(Date.now() - 10 * minuteMs)}&to=${isoOf(Date.now())}`;
  const reads: Record<string, () => Sending> = {
    summary: () => ({
      ...{ method: 'GET', host, path: `/api/public/${slug}/summary?include=response-time` },
    }),
    incidents: () => ({ method: 'GET', host, path: `/api/public/${slug}/incidents` }),
    page: () => ({ method: 'GET', host, path: '/' }),
    requests: () => ({
      ...{ method: 'GET', key: readKey, path: `/api/v1/analytics/requests?step=60&${range()}` },
    }),
    reporters: () => ({ method: 'GET', key: readKey, path: '/api/v1/analytics/reporters?window=3600' }),
  };
  const counts = Object.keys(reads).map((what): ReadCounts => ({ what, byStatus: new Map() }));
  const errors = new Set<string>();
  let turn = 0;

  return {
    counts,
    async read(): Promise<void> {
      const count = counts[turn++ % counts.length];
      const sending = count && reads[count.what]?.();
      if (count === undefined || sending === undefined) return;
      const answer = await send(sending);
      const status = answer?.status ?? 'none';
      count.byStatus.set(status, (count.byStatus.get(status) ?? 0) + 1);
      if (!expected.has(status))
        errors.add(`reads: ${count.what} answered ${status} ${answer?.text.slice(0, 200)}`);
    },
    /** Descriptions of answers that no reader may get. */
    findings: () => [...errors],
  };
}

function isoOf(time: number): string {
  return new Date(time).toISOString();
}
