import type { Registry } from 'prom-client';
import Type from 'typebox';
import type { Metrics } from '../../service/metrics.js';
import type { OpenRoute } from '../route.js';

const Health = Type.Object({ status: Type.Literal('ok') });

export const Readiness = Type.Object({
  status: Type.Union([Type.Literal('ok'), Type.Literal('unavailable')]),
  checks: Type.Record(Type.String(), Type.String()),
});

/** The name of each thing the service needs, with `ok` or one sentence on what is wrong with it. */
export type CheckReadiness = () => Promise<Record<string, string>>;

/** The text of the metrics, of this registry alone or together with those of other processes. */
export type ReadMetrics = (registry: Registry) => Promise<string>;

type Deps = { metrics: Metrics; ready: CheckReadiness; readMetrics?: ReadMetrics | undefined };

export function healthRoutes({ metrics, ready, readMetrics }: Deps): OpenRoute[] {
  return [
    {
      method: 'GET',
      path: '/healthz',
      operationId: 'getHealth',
      summary: 'Whether the process is alive',
      answers: { 200: Health },
      errors: [],
      handle(ctx) {
        ctx.set('cache-control', 'no-store');
        ctx.body = { status: 'ok' };
      },
    },
    {
      method: 'GET',
      path: '/readyz',
      operationId: 'getReadiness',
      summary: 'Whether both stores answer and their migrations are applied',
      answers: { 200: Readiness, 503: Readiness },
      errors: [],
      async handle(ctx) {
        const checks = await ready();
        const ok = Object.values(checks).every((state) => state === 'ok');
        ctx.set('cache-control', 'no-store');
        ctx.status = ok ? 200 : 503;
        ctx.body = { status: ok ? 'ok' : 'unavailable', checks };
      },
    },
    {
      method: 'GET',
      path: '/metrics',
      operationId: 'getMetrics',
      summary: 'Metrics in the Prometheus text format',
      answers: { 200: { mediaTypes: ['text/plain'] } },
      errors: [],
      async handle(ctx) {
        ctx.set('content-type', metrics.registry.contentType);
        ctx.body = await (readMetrics?.(metrics.registry) ?? metrics.registry.metrics());
      },
    },
  ];
}
