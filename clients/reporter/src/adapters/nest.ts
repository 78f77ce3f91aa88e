import type { Reporter } from '../create-reporter.js';
import type { AdapterOptions } from './exchange.js';
import { heartline as expressHeartline } from './express.js';
import { heartline as fastifyHeartline } from './fastify.js';

/** What is used of a Nest application. */
export type NestApplication = {
  use(...middleware: unknown[]): unknown;
  getHttpAdapter(): { getType(): string; getInstance(): unknown };
};

/**
 * Counts every request of a Nest application on Express or Fastify. Call it in `main.ts`, before `listen()`:
 *
 *     import { useHeartline } from '@heartline/reporter/nest';
 *     const app = await NestFactory.create(AppModule);
 *     useHeartline(app, reporter);
 *
 * The endpoint is the path of the controller and the method, with the global prefix and the version:
 * `/api/v1/shops/:shop`.
 */
export function useHeartline(
  app: NestApplication,
  reporter: Pick<Reporter, 'record'>,
  options: AdapterOptions = {},
): void {
  const adapter = app.getHttpAdapter();
  if (adapter.getType() !== 'fastify') {
    app.use(expressHeartline(reporter, options));
    return;
  }
  const instance = adapter.getInstance() as { register(plugin: unknown): unknown };
  instance.register(fastifyHeartline(reporter, options));
}
