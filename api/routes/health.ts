import Type from 'typebox';
import { ServiceError } from '../../lib/service-error.js';
import type { MayObserve } from '../request-origin.js';
import type { OpenRoute } from '../route.js';

const Health = Type.Object({ status: Type.Literal('ok') });

export const Readiness = Type.Object({
  status: Type.Union([Type.Literal('ok'), Type.Literal('unavailable')]),
  checks: Type.Record(Type.String(), Type.String()),
});

/** Returns everything that the service needs, by name, with `ok` or one sentence on what is wrong. Does not reject. */
export type CheckReadiness = () => Promise<Record<string, string>>;

/** The metrics of every process that shares the port, in the Prometheus text format. */
export type RenderMetrics = () => Promise<{ contentType: string; text: string }>;

type Deps = { checkReadiness: CheckReadiness; renderMetrics: RenderMetrics; mayObserve: MayObserve };

export function healthRoutes({ checkReadiness, renderMetrics, mayObserve }: Deps): OpenRoute[] {
  const forOperators = (route: OpenRoute): OpenRoute => ({
    ...route,
    errors: ['notFound'],
    isThere: async (ctx) => mayObserve(ctx),
    handle(ctx) {
      if (!mayObserve(ctx)) throw new ServiceError('notFound');
      return route.handle(ctx);
    },
  });
  return [
    {
      method: 'GET',
      path: '/healthz',
      operationId: 'getHealth',
      summary: 'Whether the process is alive',
      sameOnEveryHost: true,
      answers: { 200: Health },
      errors: [],
      handle(ctx) {
        ctx.set('cache-control', 'no-store');
        ctx.body = { status: 'ok' };
      },
    },
    forOperators({
      method: 'GET',
      path: '/readyz',
      operationId: 'getReadiness',
      summary:
        'Whether both stores answer and their migrations are applied; 404 outside the networks of HEARTLINE_METRICS_FROM',
      sameOnEveryHost: true,
      answers: { 200: Readiness, 503: Readiness },
      errors: [],
      async handle(ctx) {
        const checks = await checkReadiness();
        const ok = Object.values(checks).every((state) => state === 'ok');
        ctx.set('cache-control', 'no-store');
        ctx.status = ok ? 200 : 503;
        if (!ok) ctx.set('retry-after', '2');
        ctx.body = { status: ok ? 'ok' : 'unavailable', checks };
      },
    }),
    forOperators({
      method: 'GET',
      path: '/metrics',
      operationId: 'getMetrics',
      summary: 'Metrics in the Prometheus text format; 404 outside the networks of HEARTLINE_METRICS_FROM',
      sameOnEveryHost: true,
      answers: { 200: { mediaTypes: ['text/plain'] } },
      errors: [],
      async handle(ctx) {
        const { contentType, text } = await renderMetrics();
        ctx.set('content-type', contentType);
        ctx.body = text;
      },
    }),
  ];
}
