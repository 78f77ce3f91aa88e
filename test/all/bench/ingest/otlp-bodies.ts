import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  AggregationTemporality,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { BatchSpanProcessor, NodeTracerProvider, type SpanExporter } from '@opentelemetry/sdk-trace-node';

/** A request as the batches of the other benchmarks have it. */
export type Request = { endpoint: string; method: string; status: number; ms: number; at: string };

export type OtlpBodies = { protobuf: Buffer; json: Buffer; metrics: Buffer };

/** `SpanKind.SERVER` of @opentelemetry/api, which numbers kinds one lower than OTLP. */
const serverKind = 1;

/** The bodies that the SDK of OpenTelemetry sends for these requests, with the attributes of its instrumentation of HTTP. */
export async function makeOtlpBodies(requests: readonly Request[]): Promise<OtlpBodies> {
  const bodies: Buffer[] = [];
  const server = createServer(async (req, res) => {
    bodies.push(Buffer.concat(await req.toArray()));
    res.end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    await exportSpans(requests, new ProtobufExporter({ url }));
    await exportSpans(requests, new JsonExporter({ url }));
    await exportHistogram(requests, url);
  } finally {
    server.close();
  }
  const [protobuf, json, metrics] = bodies;
  if (protobuf === undefined || json === undefined || metrics === undefined || bodies.length !== 3)
    throw new Error(`The SDK has sent ${bodies.length} bodies.`);
  return { protobuf, json, metrics };
}

async function exportSpans(requests: readonly Request[], exporter: SpanExporter): Promise<void> {
  const limits = { maxExportBatchSize: requests.length, maxQueueSize: requests.length };
  const provider = new NodeTracerProvider({ spanProcessors: [new BatchSpanProcessor(exporter, limits)] });
  const tracer = provider.getTracer('@opentelemetry/instrumentation-http', '0.223.0');
  for (const { endpoint, method, status, ms, at } of requests) {
    const endedAt = Date.parse(at);
    const path = endpoint.replace(':id', '4711');
    const attributes = {
      ...{ 'http.request.method': method, 'http.route': endpoint, 'http.response.status_code': status },
      ...{
        'url.scheme': 'https',
        'url.path': path,
        'server.address': 'shop.example.com',
        'server.port': 443,
      },
      ...{ 'client.address': '203.0.113.7', 'network.peer.address': '10.1.2.3', 'network.peer.port': 41234 },
      ...{ 'network.protocol.version': '1.1', 'user_agent.original': 'Mozilla/5.0 (X11; Linux x86_64)' },
    };
    const options = { kind: serverKind, startTime: endedAt - ms, attributes };
    tracer.startSpan(`${method} ${endpoint}`, options).end(endedAt);
  }
  await provider.shutdown();
}

async function exportHistogram(requests: readonly Request[], url: string): Promise<void> {
  const exporter = new OTLPMetricExporter({ url, temporalityPreference: AggregationTemporality.DELTA });
  const provider = new MeterProvider({ readers: [new PeriodicExportingMetricReader({ exporter })] });
  const meter = provider.getMeter('@opentelemetry/instrumentation-http', '0.223.0');
  const histogram = meter.createHistogram('http.server.request.duration', { unit: 's' });
  for (const { endpoint, method, status, ms } of requests) {
    const attributes = {
      ...{ 'http.request.method': method, 'http.route': endpoint, 'http.response.status_code': status },
      ...{ 'url.scheme': 'https', 'network.protocol.version': '1.1' },
    };
    histogram.record(ms / 1000, attributes);
  }
  await provider.shutdown();
}
