import { gzipSync } from 'node:zlib';
import { makeBatch } from '../../../../bench/support/batches.js';
import { line, median } from '../../../../bench/support/report.js';
import { Block } from '../../../../ingest/commit/collapse.js';
import { makeName, makeSource } from '../../../../ingest/names/names.js';
import { PageNames } from '../../../../ingest/names/page-names.js';
import { collapseSlice, readOtlp } from '../../../../ingest/otlp/read-otlp.js';
import type { Encoding, Signal } from '../../../../ingest/otlp/tree.js';
import { Batch } from '../../../../ingest/read/batch.js';
import { normalize } from '../../../../ingest/read/normalize.js';
import { createBatchReader } from '../../../../ingest/read/read-batch.js';
import { windowV1 } from '../../../../ingest/read/time-window.js';
import { newId, type PageId } from '../../../../lib/ids.js';
import { makeOtlpBodies, type Request } from './otlp-bodies.js';
import { compareWays } from './otlp-ways.js';

/** Measures what a request costs in the forms of OpenTelemetry, compared with an event of v1: reading and collapsing. */
const requestsPerBody = 1_000;
const rounds = 15;
const bodiesPerRound = 40;
const now = Date.now();

type Form = { name: string; body: Buffer; collapse: (body: Buffer) => number };

const events = makeBatch(requestsPerBody, 1, now);
const bodies = await makeOtlpBodies((JSON.parse(events) as { events: Request[] }).events);
const page = new PageNames(newId<PageId>(now));
const batch = new Batch();
const reader = createBatchReader({
  onTrap(error) {
    throw error;
  },
});

const forms: readonly Form[] = [
  {
    name: 'events of v1, JSON',
    body: Buffer.from(events),
    collapse(body) {
      batch.clear();
      reader.read([body], page, windowV1(now), 1, batch);
      return collapse();
    },
  },
  otlp('spans, protobuf', bodies.protobuf, 'traces', 'protobuf'),
  otlp('spans, JSON', bodies.json, 'traces', 'json'),
  otlp('histograms, protobuf', bodies.metrics, 'metrics', 'protobuf'),
];

function otlp(name: string, body: Buffer, signal: Signal, encoding: Encoding): Form {
  return {
    name,
    body,
    collapse(body) {
      let requests = 0;
      for (const { events, points } of readOtlp(body, { signal, encoding }, () => {}).slices) {
        batch.clear();
        normalize(events, page, windowV1(now), 1, batch);
        if (points === undefined) requests += collapse();
        else {
          register();
          requests += collapseSlice(batch, points, new Set()).events;
        }
      }
      return requests;
    },
  };
}

function collapse(): number {
  register();
  const block = new Block();
  block.add(batch);
  return block.events;
}

/** Names are registered once, as in a service. */
function register(): void {
  if (!batch.hasUnknown) return;
  for (let i = 0; i < batch.length; i += 1) {
    const [endpoint, service] = [batch.unknownEndpoint[i], batch.unknownSource[i]];
    if (endpoint !== undefined && !page.endpoints.has(endpoint))
      page.endpoints.set(endpoint, makeName(endpoint));
    if (service !== undefined && !page.services.has(service))
      page.services.set(service, makeSource(page.pageId, 'service', service));
    if (endpoint !== undefined) batch.endpoint[i] = page.endpoints.get(endpoint);
    if (service !== undefined) batch.source[i] = page.services.get(service);
  }
}

/** Microseconds of a request. */
function measure({ body, collapse }: Form): number {
  const startedAt = performance.now();
  let requests = 0;
  for (let i = 0; i < bodiesPerRound; i += 1) requests += collapse(body);
  if (requests !== bodiesPerRound * requestsPerBody) throw new Error(`${requests} requests were counted.`);
  return ((performance.now() - startedAt) * 1000) / requests;
}

const measured = forms.map((form) => ({ form, us: [] as number[] }));
// The first round warms up.
for (let round = 0; round <= rounds; round += 1) {
  for (const { form, us } of measured) {
    const took = measure(form);
    if (round > 0) us.push(took);
  }
}
const baseline = measured[0]?.us ?? [];
line(`${''.padEnd(22)} µs a request   of v1   bytes a request   gzipped`);
for (const { form, us } of measured) {
  const ratio = median(us.map((value, round) => value / (baseline[round] ?? Number.NaN)));
  const [bytes, gzipped] = [form.body.length, gzipSync(form.body).length].map(
    (size) => size / requestsPerBody,
  );
  line(
    `${form.name.padEnd(22)} ${median(us).toFixed(2).padStart(12)} ${ratio.toFixed(1).padStart(7)} ${bytes?.toFixed(0).padStart(17)} ${gzipped?.toFixed(1).padStart(9)}`,
  );
}
await compareWays(bodies.protobuf);
