import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { parse } from 'yaml';
import { formOfSeries } from '../../ingest/prometheus/metrics.js';
import { needsPromtool, runPromtool } from '../support/promtool.js';
import { makeRouteTable } from '../support/route-table.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { readPages } from './read-blocks.js';

/** Configurations of other programs that the docs print. */
const pages = await readPages();
const blocksOf = (path: string): string[] =>
  pages
    .filter((page) => page.path === path)
    .flatMap(({ blocks }) => blocks.filter(({ language }) => language === 'yaml').map(({ text }) => text));

type Collector = {
  processors: Record<string, object>;
  exporters: Record<string, { endpoint: string; headers: Record<string, string> }>;
  service: { pipelines: Record<string, { processors: string[]; exporters: string[] }> };
};

t.test('the collector of docs/otlp.md has what its pipelines name', async (t) => {
  const [text = ''] = blocksOf('docs/otlp.md');
  const { processors, exporters, service } = parse(text) as Collector;
  for (const pipeline of Object.values(service.pipelines)) {
    for (const name of pipeline.processors) t.ok(name in processors, name);
    for (const name of pipeline.exporters) t.ok(name in exporters, name);
  }
  const [exporter] = Object.values(exporters);
  t.match(exporter, { endpoint: /^https:\/\/[^/]+$/, headers: { authorization: /^Bearer / } });
});

t.test('Prometheus scrapes addresses that exist', async (t) => {
  const paths = makeRouteTable().routes.map(({ path }) => String(path));
  const scraped = blocksOf('docs/prometheus.md')
    .flatMap((text) => (parse(text) as { scrape_configs?: { metrics_path: string }[] }).scrape_configs ?? [])
    .map(({ metrics_path: path }) => path.replace('/acme/', '/:slug/'));
  t.equal(scraped.length, 2);
  for (const path of scraped) t.ok(paths.includes(path), path);
});

t.test('Prometheus forwards every metric that is read, to an address that exists', async (t) => {
  type Forward = { url: string; write_relabel_configs: { regex: string; action: string }[] };
  const forwards = blocksOf('docs/prometheus.md').flatMap(
    (text) => (parse(text) as { remote_write?: Forward[] }).remote_write ?? [],
  );
  t.equal(forwards.length, 1);
  const [{ url, write_relabel_configs: rules } = { url: 'none:', write_relabel_configs: [] }] = forwards;
  const route = makeRouteTable().routes.find(({ path }) => path === new URL(url).pathname);
  t.equal(route?.method, 'POST');
  const [{ regex = '', action } = {}] = rules;
  t.equal(action, 'keep');
  // Prometheus anchors what it matches.
  const kept = new RegExp(`^(?:${regex})$`);
  const { text } = pages.find(({ path }) => path === 'docs/prometheus.md') ?? { text: '' };
  const table = /^\| metric, with(?:.*\n)+?\n/m.exec(text)?.[0] ?? '';
  const metrics = [...table.matchAll(/`(\w+_(?:seconds|milliseconds))`/g)].map(([, metric = '']) => metric);
  t.equal(metrics.length, 6);
  for (const metric of metrics) {
    const labels = new Map([['__name__', `${metric}_bucket`]]);
    t.not(formOfSeries(labels.set('handler', '/')), undefined, metric);
    for (const suffix of ['', '_bucket', '_count']) t.match(`${metric}${suffix}`, kept);
  }
});

t.test('promtool accepts what docs/prometheus.md prints', needsPromtool, async (t) => {
  const folder = await temporaryFolder(t);
  for (const [i, text] of blocksOf('docs/prometheus.md').entries()) {
    const file = join(folder, `${i}.yml`);
    // A setting of Prometheus 2.48, which older ones refuse; and the key is not on this machine.
    const known = text.replace(/ +(?:track_timestamps_staleness|authorization): .*\n/g, '');
    await writeFile(file, known);
    const { code, said } = runPromtool(['check', text.startsWith('groups') ? 'rules' : 'config', file]);
    t.equal(code, 0, said);
  }
});
