import { randomUUID } from 'node:crypto';
import { dayMs } from '../../lib/times.js';
import type { FilledPage } from '../support/filled-page.js';

const monitors = 20;
const days = 14;

/**
 * Adds what the views of SQL show beside two weeks of traffic: 20 monitors that are checked once a minute, with their hours,
 * and 200 incidents, alerts and deployments each.
 */
export async function fillViews({ clickhouse, pageId, now }: FilledPage): Promise<void> {
  const end = Math.floor(now / dayMs) * dayMs;
  const start = end / 1_000 - days * 86_400;
  const ids = Array.from({ length: monitors }, () => randomUUID());
  const query_params = { pageId, start, ids };
  const monitor = `arrayJoin({ids:Array(UUID)}) AS monitor_id`;
  await clickhouse.command({
    query: `INSERT INTO checks (page_id, monitor_id, at, interval_seconds, ok, up, error, total_ms)
      SELECT {pageId:UUID}, ${monitor}, toDateTime64({start:UInt32} + number * 60, 3), 60, number % 100 > 0, 1,
        if(number % 100 = 0, 'timeout', ''), 20 + number % 80 FROM numbers(${days * 1_440})`,
    query_params,
  });
  await clickhouse.command({
    query: `INSERT INTO monitor_hours (page_id, monitor_id, hour, observed_ms, up_ms, checks, failed, measured, sum_ms, version)
      SELECT {pageId:UUID}, ${monitor}, toDateTime({start:UInt32} + number * 3600), 3600000, 3590000, 60, 1, 59, 3000, 1
      FROM numbers(${days * 24})`,
    query_params,
  });
  const rows = (kind: string, count: number, rowOf: (at: number) => { id: string; data: object }): object[] =>
    Array.from({ length: count }, (_, at) => {
      const { id, data } = rowOf(at);
      return { page_id: pageId, kind, id, version: 1, deleted: 0, data: JSON.stringify(data) };
    });
  const atOf = (at: number): number => start * 1_000 + (at / 200) * days * dayMs;
  const named = (data: object) => ({ id: randomUUID(), data });
  await clickhouse.insert({
    table: 'copies',
    format: 'JSONEachRow',
    values: [
      ...rows('monitor', monitors, (at) => ({
        id: ids[at] ?? '',
        data: { slug: `m-${at}`, name: `Monitor ${at}` },
      })),
      ...rows('incident', 200, (at) =>
        named({ title: `Incident ${at}`, started_at: atOf(at), resolved_at: atOf(at) + 1_800_000 }),
      ),
      ...rows('alert', 200, (at) =>
        named({
          rule_slug: `rule-${at % 5}`,
          severity: 'page',
          started_at: atOf(at),
          acknowledged_at: atOf(at) + 60_000,
        }),
      ),
      ...rows('deployment', 200, (at) =>
        named({ service: `service-${at % 20}`, version: `1.${at}.0`, at: atOf(at) }),
      ),
      ...rows('reporter', 20, (at) => ({
        id: `service:service-${at}`,
        data: { kind: 'service', source: `service-${at}`, region: 'eu-1' },
      })),
    ],
  });
}
