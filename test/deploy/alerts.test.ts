import { readFile } from 'node:fs/promises';
import t from 'tap';
import { parse } from 'yaml';
import { jobs } from '../../service/jobs/jobs.js';
import { startTestService } from '../support/service.js';

type Rule = {
  alert: string;
  expr: string;
  labels: { severity: string };
  annotations: { summary: string; action: string; runbook: string };
};

const read = (path: string) => readFile(new URL(`../../../${path}`, import.meta.url), 'utf8');
const { groups }: { groups: { rules: Rule[] }[] } = parse(await read('deploy/prometheus/alerts.yml'));
const rules = groups.flatMap((group) => group.rules);
const api = await startTestService(t);

/** Metrics that Prometheus itself creates for each target. */
const ofPrometheus = new Set(['up']);

type Selector = { metric: string; labels: string[] };

/** The metrics of an expression with their selectors. */
function selectorsOf(expr: string): Selector[] {
  const form = /\b(up|(?:heartline|nodejs|process)_\w+)(?:\{([^}]*)\})?/g;
  return [...expr.matchAll(form)].map(([, metric = '', labels = '']) => ({
    metric,
    labels: [...labels.matchAll(/(\w+)=/g)].map(([, label = '']) => label),
  }));
}

t.test('the service has every metric of the rules', async (t) => {
  const events = [{ endpoint: '/a', status: 200 }, { endpoint: '/a' }];
  t.equal((await api.post('/api/v1/events', events)).status, 202);
  const text = String((await api.get('/metrics')).body);
  const types = new Map(
    [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', type]) => [name, type]),
  );
  const samples = text.split('\n');
  for (const { alert, expr } of rules) {
    const selectors = selectorsOf(expr);
    t.ok(selectors.length > 0, alert);
    for (const { metric, labels } of selectors.filter(({ metric }) => !ofPrometheus.has(metric))) {
      const histogram = metric.replace(/_(bucket|count|sum)$/, '');
      t.ok(types.has(metric) || types.get(histogram) === 'histogram', `${alert}: ${metric}`);
      const sample = samples.find((line) => line.startsWith(`${metric}{`));
      if (sample !== undefined)
        for (const label of labels)
          t.match(sample, `${label}="`, `${alert}: ${metric} has the label ${label}`);
    }
  }
});

t.test('each job has a threshold that fits its schedule', async (t) => {
  const expr = rules.find(({ alert }) => alert === 'HeartlineJobLate')?.expr ?? '';
  const bounds = new Map(
    [...expr.matchAll(/job=~"([^"]+)"\}\) > (?:(\d+) \* )?(\d+)/g)].flatMap(
      ([, names = '', times = '1', seconds]) =>
        names.split('|').map((name) => [name, Number(times) * Number(seconds)] as const),
    ),
  );
  t.strictSame([...bounds.keys()].sort(), jobs.map(({ name }) => name).sort());
  for (const { name, schedule } of jobs) {
    const [minute = '', hour] = schedule.split(' ');
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
