import type { Ingest } from '../ingest/pipeline.js';
import type { Metrics } from './metrics.js';
import { describeApi } from './openapi.js';
import type { OpenRoute, Route } from './route.js';
import { eventRoutes } from './routes/events.js';
import { type CheckReadiness, healthRoutes } from './routes/health.js';

type Deps = { ingest: Ingest; metrics: Metrics; ready: CheckReadiness; baseUrl: () => string };

/** Every route of the service, in the order of the description that the last of them serves. */
export function createRoutes(deps: Deps): Route[] {
  const routes: Route[] = [...eventRoutes(deps), ...healthRoutes(deps)];
  routes.push(descriptionRoute(routes, deps.baseUrl));
  return routes;
}

function descriptionRoute(routes: readonly Route[], baseUrl: () => string): OpenRoute {
  let text: string | undefined;
  return {
    method: 'GET',
    path: '/openapi.json',
    operationId: 'getDescription',
    summary: 'This description',
    answers: { 200: { mediaType: 'application/json' } },
    errors: [],
    handle(ctx) {
      text ??= JSON.stringify(describeApi(routes, baseUrl()));
      ctx.type = 'application/json';
      ctx.body = text;
    },
  };
}
