import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import t from 'tap';
import { parse } from 'yaml';
import { limits } from '../../contract/limits.js';
import { metricsRequest, tracesRequest } from '../../ingest/otlp/schemas.js';
import { countedIn, examples, settingsFor } from '../support/example.js';
import { encodeOtlp, histogramOf, metricsOf, spanOf, tracesOf } from '../support/otlp.js';
import { startTestService } from '../support/service.js';

type Pipeline = { receivers: string[]; processors: string[]; exporters: string[] };
type Kind = keyof Pipeline;
type Configuration = Record<Kind, Record<string, Record<string, unknown>>> & {
  service: { pipelines: Record<string, Pipeline> };
};

const api = await startTestService(t);
const text = await readFile(join(examples, 'collector/otelcol.yaml'), 'utf8');
const asShipped = parse(text) as Configuration;
/** With the pipeline that the file has as a comment. */
const withTraces = parse(text.replace(/^( +)# (traces:| {2}\w+: \[)/gm, '$1$2')) as Configuration;

t.test('every component of a pipeline is defined, and every one that is defined is used', async (t) => {
  t.strictSame(Object.keys(asShipped.service.pipelines), ['metrics'], 'a request must not count twice');
  const { pipelines } = withTraces.service;
  t.strictSame(Object.keys(pipelines), ['metrics', 'traces']);
  for (const kind of ['receivers', 'processors', 'exporters'] as const) {
    const used = new Set(Object.values(pipelines).flatMap((pipeline) => pipeline[kind]));
    t.strictSame([...used].sort(), Object.keys(asShipped[kind]).sort(), kind);
  }
  t.strictSame(pipelines['metrics']?.processors.slice(-2), ['cumulativetodelta', 'batch']);
});

t.test('its batches and retries stay within the limits of the service', async (t) => {
  const batch = asShipped.processors['batch'] as { send_batch_size: number; send_batch_max_size: number };
  t.ok(batch.send_batch_max_size <= limits.otlpItemsMax && batch.send_batch_size > 0);
  t.ok(batch.send_batch_size <= batch.send_batch_max_size);
  const { retry_on_failure: retry } = asShipped.exporters['otlphttp/heartline'] as {
    retry_on_failure: { enabled: boolean; max_elapsed_time: string };
  };
  t.ok(retry.enabled && Number.parseInt(retry.max_elapsed_time, 10) < limits.batchIdMinutes);
  t.match(retry.max_elapsed_time, /^\d+m$/);
});

t.test('what its exporter sends is counted, once', async (t) => {
  const settings = settingsFor(api);
  const fill = (value: string) =>
    value.replace(/\$\{env:(\w+)\}/g, (_, name: string) => settings[name] ?? '');
  const exporter = asShipped.exporters['otlphttp/heartline'] as {
    endpoint: string;
    compression: string;
    headers: Record<string, string>;
  };
  t.equal(exporter.compression, 'gzip');
  const headers = Object.entries(exporter.headers).map(([name, value]) => [name, fill(value)] as const);
  const send = (signal: 'metrics' | 'traces', body: Buffer) =>
    fetch(`${fill(exporter.endpoint)}/v1/${signal}`, {
      method: 'POST',
      headers: {
        ...Object.fromEntries(headers),
        'content-type': 'application/x-protobuf',
        'content-encoding': 'gzip',
      },
      body: Uint8Array.from(gzipSync(body)),
    });
  const histogram = histogramOf({ count: 6, bucketCounts: [1, 2, 3] });
  const metrics = encodeOtlp(metricsOf('shop', [histogram]), metricsRequest);
  const spans = [spanOf(), spanOf({ kind: 3 })];
  const traces = encodeOtlp(tracesOf('shop', spans), tracesRequest);
  for (let i = 0; i < 2; i += 1) t.equal((await send('metrics', metrics)).status, 200);
  t.strictSame(await countedIn(api), ['GET /carts/:id 200: 6']);
  t.equal((await send('traces', traces)).status, 200);
  t.strictSame(
    await countedIn(api),
    ['GET /carts/:id 200: 6'],
    'a span of a service that sends metrics does not count again',
  );
});
