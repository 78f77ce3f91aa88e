import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import t from 'tap';
import { readRequests } from '../../../support/rollups.js';
import { startTestService } from '../../../support/service.js';
import { modules } from '../../packages.js';

/** The SDK of OpenTelemetry for JavaScript sends what it measures of a real server, in a process of its own. */
const run = promisify(execFile);
const api = await startTestService(t);

const program = `
const { registerInstrumentations } = require('@opentelemetry/instrumentation');
const { HttpInstrumentation } = require('@opentelemetry/instrumentation-http');
const { NodeTracerProvider, BatchSpanProcessor } = require('@opentelemetry/sdk-trace-node');
const { MeterProvider, PeriodicExportingMetricReader } = require('@opentelemetry/sdk-metrics');
const { OTLPMetricExporter } = require('@opentelemetry/exporter-metrics-otlp-proto');
const { resourceFromAttributes } = require('@opentelemetry/resources');
const { context } = require('@opentelemetry/api');
const { getRPCMetadata, RPCType, setRPCMetadata } = require('@opentelemetry/core');
const { OTLPTraceExporter } = require('@opentelemetry/exporter-trace-otlp-' + process.env.FORM);
const resource = resourceFromAttributes({ 'service.name': process.env.SERVICE });
const traces = new NodeTracerProvider({
  resource,
  spanProcessors: process.env.SIGNAL === 'traces' ? [new BatchSpanProcessor(new OTLPTraceExporter())] : [],
});
traces.register();
const reader = new PeriodicExportingMetricReader({ exporter: new OTLPMetricExporter(), exportIntervalMillis: 200 });
const metrics = new MeterProvider({ resource, readers: process.env.SIGNAL === 'metrics' ? [reader] : [] });
registerInstrumentations({ instrumentations: [new HttpInstrumentation()], tracerProvider: traces, meterProvider: metrics });
const http = require('node:http');
const server = http.createServer((req, res) => {
  const found = req.url.startsWith('/carts/');
  const metadata = getRPCMetadata(context.active());
  if (found && metadata) metadata.route = '/carts/:id';
  res.statusCode = found ? (req.url === '/carts/13' ? 503 : 200) : 404;
  res.end();
});
server.listen(0, '127.0.0.1', async () => {
  const { port } = server.address();
  for (let i = 0; i < 120; i++) {
    const path = i % 10 === 9 ? '/other/' + i : '/carts/' + (i % 40);
    await new Promise((resolve, reject) =>
      http.get({ port, path, host: '127.0.0.1' }, (res) => res.resume().on('end', resolve)).on('error', reject));
  }
  server.close();
  await traces.shutdown();
  await metrics.shutdown();
});`;

for (const { signal, form, conventions } of [
  { signal: 'traces', form: 'proto', conventions: 'http' },
  { signal: 'traces', form: 'http', conventions: 'old' },
  { signal: 'metrics', form: 'proto', conventions: 'http' },
  { signal: 'metrics', form: 'proto', conventions: 'old' },
]) {
  const service = `sdk-${signal}-${form}-${conventions}`;
  t.test(`${signal} of the SDK count exactly: ${form}, ${conventions} conventions`, async (t) => {
    const { stderr } = await run(process.execPath, ['--eval', program], {
      cwd: modules,
      timeout: 60_000,
      env: {
        ...{ SIGNAL: signal, FORM: form, SERVICE: service },
        OTEL_EXPORTER_OTLP_ENDPOINT: api.url,
        OTEL_EXPORTER_OTLP_HEADERS: `authorization=Bearer ${api.ingestKey}`,
        OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
        OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE: 'delta',
        ...(conventions === 'http' && { OTEL_SEMCONV_STABILITY_OPT_IN: 'http' }),
      },
    });
    t.equal(stderr, '');
    await api.settle();
    const rows = (await readRequests(api.stores.clickhouse)).filter((row) => row.service === service);
    const counted: Record<string, number> = {};
    for (const { endpoint, status, method, requests } of rows) {
      const name = `${method} ${endpoint} ${status}`;
      counted[name] = (counted[name] ?? 0) + requests;
    }
    t.strictSame(counted, {
      'GET /carts/:id 200': 105,
      'GET /carts/:id 503': 3,
      'GET unmatched 404': 12,
    });
  });
}
