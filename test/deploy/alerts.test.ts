import { randomUUID } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { parse } from 'yaml';
import { jobs } from '../../service/jobs/jobs.js';
import {
  asScraped,
  formatSeries,
  parseExposition,
  parseSeries,
  type Sample,
  selectorsOf,
  selects,
} from '../support/exposition.js';
import { needsPromtool, runPromtool } from '../support/promtool.js';
import { startTestService } from '../support/service.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { type AlertCase, target } from './alert-cases/alert-case.js';
import { ofChecksAndMessages } from './alert-cases/checks-and-messages.js';
import { ofEvents } from './alert-cases/events.js';
import { ofLog } from './alert-cases/log.js';
import { ofService } from './alert-cases/service.js';

type Rule = {
  alert: string;
  expr: string;
  labels: { severity: string };
  annotations: { summary: string; action: string; runbook: string };
};

const rulesFile = fileURLToPath(new URL('../../../deploy/prometheus/alerts.yml', import.meta.url));
const read = (path: string) => readFile(new URL(`../../../${path}`, import.meta.url), 'utf8');
const { groups }: { groups: { rules: Rule[] }[] } = parse(await read('deploy/prometheus/alerts.yml'));
const rules = groups.flatMap((group) => group.rules);
const alertCases = [...ofService, ...ofEvents, ...ofLog, ...ofChecksAndMessages];
const api = await startTestService(t);
const { text, scraped } = await scrapeUsed();

/** Uses an installation without settings as its people do, and scrapes it as Prometheus does. */
async function scrapeUsed(): Promise<{ text: string; scraped: Sample[] }> {
  const { sql } = api.stores;
  // Leftovers of a page in several languages without a translator.
  await sql`update pages set languages = '{en,de}' where id = ${api.pageId}`;
  await sql`
    insert into translations (page_id, source_hash, source_language, language, next_attempt_at, created_at)
    select ${api.pageId}, sha256(text::bytea), 'en', 'de', now(), now() - interval '1 hour'
    from generate_series(1, 20) as text`;
  // Leftovers of a receiver that is down, and of one that is gone.
  for (const [due, disabledAt] of [
    [sql`now() + interval '1 hour'`, null],
    [sql`now() - interval '1 hour'`, new Date()],
  ] as const) {
    const [id, queue] = [randomUUID(), randomUUID()];
    await sql`
      insert into webhooks (id, page_id, url, secret, created_at, disabled_at, disabled_reason)
      values (${id}, ${api.pageId}, 'https://hooks.example/', '\\x00', now(), ${disabledAt}, ${disabledAt && 'gone'})`;
    await sql`
      insert into webhook_deliveries (id, page_id, webhook_id, queue, kind, body, next_attempt_at, created_at)
      select gen_random_uuid(), ${api.pageId}, ${id}, ${queue}, 'webhook.test', '{}', ${due}, now() - interval '1 hour'
      from generate_series(1, 20)`;
  }
  await api.post('/api/v1/events', [{ endpoint: '/a', status: 200 }, { endpoint: '/a' }]);
  await sql`alter table rejected_events rename to hidden`;
  const failed = await api.get('/api/v1/analytics/rejections', { authorization: `Bearer ${api.readKey}` });
  await sql`alter table hidden rename to rejected_events`;
  if (failed.status !== 503) throw new Error(`Expected a 503, got ${failed.status}.`);
  const text = String((await api.get('/metrics')).body);
  const up = { metric: 'up', labels: {}, value: '1' };
  return { text, scraped: [up, ...parseExposition(text)].map((sample) => asScraped(sample, target)) };
}

t.test('a scrape has every metric and label that a rule selects', async (t) => {
  for (const { alert, expr } of rules) {
    const selectors = selectorsOf(expr);
    t.ok(selectors.length > 0, alert);
    for (const selector of selectors) {
      t.ok(
        scraped.some((sample) => selects(selector, sample)),
        `${alert}: ${JSON.stringify(selector)}`,
      );
    }
  }
});

t.test('receivers of webhooks that are down or gone leave nothing for the operator', async (t) => {
  const figureOf = (metric: string) =>
    scraped.find((one) => one.metric === metric && one.labels['kind'] === 'webhook')?.value;
  t.equal(figureOf('heartline_outbox_waiting'), '40');
  t.equal(figureOf('heartline_outbox_oldest_seconds'), '0');
});

t.test('a scrape has every series of the cases', async (t) => {
  const known = new Set(scraped.map(formatSeries));
  for (const { alert, when, series } of alertCases) {
    for (const one of Object.keys(series)) {
      t.ok(known.has(formatSeries(asScraped(parseSeries(one), target))), `${alert}, ${when}: ${one}`);
    }
  }
});

t.test('each rule has a case in which it fires, and one in which it does not', async (t) => {
  const named = (fires: boolean) =>
    new Set(alertCases.filter((one) => (one.fires !== undefined) === fires).map(({ alert }) => alert));
  const names = rules.map(({ alert }) => alert).sort();
  t.strictSame([...named(true)].sort(), names);
  t.strictSame([...named(false)].sort(), names);
});

t.test('promtool has nothing to say about the rules and a scrape', needsPromtool, async (t) => {
  t.match(runPromtool(['check', 'rules', rulesFile]), { code: 0, said: /SUCCESS/ });
  t.strictSame(runPromtool(['check', 'metrics'], text), { code: 0, said: '' });
});

t.test('each alert fires when it should, and then only', needsPromtool, async (t) => {
  t.match(await testRules(alertCases.map(toRuleTest)), { code: 0, said: /SUCCESS/ });
});

t.test('no alert fires where nothing is wrong', needsPromtool, async (t) => {
  // The one request that failed is wrong.
  const series = scraped.filter(({ labels }) => labels['status'] !== '503');
  const test = {
    interval: '1m',
    input_series: series.map((sample) => ({
      series: formatSeries(sample),
      // promtool reads no exponents.
      values: `${Number(sample.value).toFixed(6)}x60`,
    })),
    alert_rule_test: rules.map(({ alert }) => ({ eval_time: '60m', alertname: alert, exp_alerts: [] })),
  };
  t.match(await testRules([test]), { code: 0, said: /SUCCESS/ });
});

/** Runs tests of the rules. JSON is YAML, too. */
async function testRules(tests: unknown[]): Promise<{ code: number | null; said: string }> {
  const file = join(await temporaryFolder(t), 'alerts.test.yml');
  await writeFile(file, JSON.stringify({ rule_files: [rulesFile], evaluation_interval: '1m', tests }));
  return runPromtool(['test', 'rules', file]);
}

/** The case as `promtool test rules` reads it. */
function toRuleTest({ alert, when, series, atMinutes, fires }: AlertCase) {
  const { labels, annotations } = rules.find((rule) => rule.alert === alert) ?? {};
  return {
    name: `${alert}, ${when}`,
    interval: '1m',
    input_series: Object.entries(series).map(([one, values]) => ({
      series: formatSeries(asScraped(parseSeries(one), target)),
      values,
    })),
    alert_rule_test: [
      {
        eval_time: `${atMinutes}m`,
        alertname: alert,
        exp_alerts:
          fires === undefined
            ? []
            : [
                {
                  exp_labels: { ...labels, ...fires.labels },
                  exp_annotations: { ...annotations, summary: fires.summary },
                },
              ],
      },
    ],
  };
}

t.test('each job has a threshold that fits its schedule', async (t) => {
  const expr = rules.find(({ alert }) => alert === 'HeartlineJobLate')?.expr ?? '';
  const bounds = new Map(
    [...expr.matchAll(/job_name=~"([^"]+)"\}\) > (?:(\d+) \* )?(\d+)/g)].flatMap(
      ([, names = '', times = '1', seconds]) =>
        names.split('|').map((name) => [name, Number(times) * Number(seconds)] as const),
    ),
  );
  t.strictSame([...bounds.keys()].sort(), jobs.map(({ name }) => name).sort());
  for (const { name, schedule } of jobs) {
    const [minute = '', hour] = schedule.split(' ').slice(-5);
    const everySeconds = hour !== '*' ? 86_400 : minute.includes('*') ? 300 : 3_600;
    t.ok((bounds.get(name) ?? 0) > 2 * everySeconds, `${name}: not before it could have run twice`);
    t.ok((bounds.get(name) ?? 0) <= 3 * everySeconds, `${name}: soon enough`);
  }
});

t.test('each rule has an action and a runbook', async (t) => {
  t.equal(new Set(rules.map(({ alert }) => alert)).size, rules.length, 'no name twice');
  for (const { alert, labels, annotations } of rules) {
    t.match(labels.severity, /^(critical|warning)$/, alert);
    t.match(annotations.action, /^[A-Z].*\.$/, alert);
    t.ok(annotations.summary.length > 0, alert);
    const [path = '', anchor] = annotations.runbook.split('#');
    const headings = [...(await read(path)).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\w -]/g, '')
        .replaceAll(' ', '-'),
    );
    t.ok(headings.includes(anchor ?? ''), `${alert}: ${annotations.runbook}`);
  }
});
