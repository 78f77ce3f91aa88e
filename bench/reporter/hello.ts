import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { createReporter } from '@heartline/reporter';
import { heartline } from '@heartline/reporter/fastify';
import type { FastifyInstance } from 'fastify';
import { Histogram, Registry } from 'prom-client';

/** The plugin that measures the requests of the application. */
export type Variant = 'plain' | 'hook' | 'reporter' | 'prom-client' | 'opentelemetry';

/** A hello-world of Fastify in a process of its own: its arguments are the variant and the address of the sink. */
const require = createRequire(import.meta.url);
/** OpenTelemetry is installed with the third tier of tests. */
const requireFurther = createRequire(new URL('../../../test/all/package.json', import.meta.url));
const [, , variant = 'plain', sinkUrl = ''] = process.argv;

const instruments: Record<Variant, () => (app: FastifyInstance) => void> = {
  plain: () => () => {},
  /** The least cost of a plugin that looks at each request. */
  hook: () => (app) => app.addHook('onResponse', (_request, _reply, done) => done()),
  reporter() {
    const reporter = createReporter({ url: sinkUrl, key: 'none', service: 'hello' });
    process.on('disconnect', () => process.stderr.write(`reporter: ${JSON.stringify(reporter.stats())}\n`));
    return (app) => app.register(heartline(reporter));
  },
  'prom-client'() {
    const histogram = new Histogram({
      ...{ name: 'http_request_duration_seconds', help: 'Response times.' },
      ...{ labelNames: ['method', 'route', 'status'] as const, registers: [new Registry()] },
    });
    return (app) =>
      app.addHook('onResponse', (request, reply, done) => {
        const route = request.routeOptions.url ?? 'unmatched';
        histogram.observe(
          { method: request.method, route, status: reply.statusCode },
          reply.elapsedTime / 1000,
        );
        done();
      });
  },
  opentelemetry() {
    traceHttp();
    return () => {};
  },
};

/** The instrumentation of node:http, which must be there before Fastify is loaded, and a batch exporter. */
function traceHttp(): void {
  process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] = sinkUrl;
  const { registerInstrumentations } = requireFurther('@opentelemetry/instrumentation');
  const { HttpInstrumentation } = requireFurther('@opentelemetry/instrumentation-http');
  const { NodeTracerProvider, BatchSpanProcessor } = requireFurther('@opentelemetry/sdk-trace-node');
  const { OTLPTraceExporter } = requireFurther('@opentelemetry/exporter-trace-otlp-proto');
  const tracerProvider = new NodeTracerProvider({
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  });
  tracerProvider.register();
  registerInstrumentations({ instrumentations: [new HttpInstrumentation()], tracerProvider });
}

const install = instruments[variant as Variant]();
const { fastify } = require('fastify') as typeof import('fastify');
const app = fastify();
install(app);
app.get('/hello/:name', async () => ({ hello: 'world' }));
await app.listen({ port: 0, host: '127.0.0.1' });
process.send?.({ port: (app.server.address() as AddressInfo).port });
process.on('disconnect', () => process.exit());
