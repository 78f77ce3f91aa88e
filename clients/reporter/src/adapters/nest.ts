import type { Reporter } from '../create-reporter.js';
import type { AdapterOptions } from './exchange.js';
import { heartline as expressHeartline } from './express.js';
import { noteFailure } from './failures.js';
import { heartline as fastifyHeartline } from './fastify.js';

/** The part of a Nest application that is used. */
export type NestApplication = {
  use(...middleware: unknown[]): unknown;
  getHttpAdapter(): { getType(): string; getInstance(): unknown };
  useGlobalInterceptors(...interceptors: never[]): unknown;
};

type Context = { getType(): string; switchToHttp(): { getRequest(): object } };

type Observer = { next(value: unknown): void; error(error: unknown): void; complete(): void };
/** The part of an Observable of RxJS that is used. */
type Observable = { subscribe(observer: Observer): unknown };
type ObservableClass = new (subscribe: (observer: Observer) => unknown) => Observable;

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
  // Its type is of RxJS, which the types of this package do without.
  if (options.messages) app.useGlobalInterceptors({ intercept } as never);
  const adapter = app.getHttpAdapter();
  if (adapter.getType() !== 'fastify') {
    app.use(expressHeartline(reporter, options));
    return;
  }
  const instance = adapter.getInstance() as { register(plugin: unknown): unknown };
  instance.register(fastifyHeartline(reporter, options));
}

/** Notes what a controller throws; Nest makes a response of it before Express or Fastify see it. */
function intercept(context: Context, next: { handle(): Observable }): Observable {
  const handled = next.handle();
  if (context.getType() !== 'http') return handled;
  const request = context.switchToHttp().getRequest();
  const raw: unknown = Reflect.get(request, 'raw');
  const Observable = handled.constructor as ObservableClass;
  return new Observable((observer) =>
    handled.subscribe({
      next: (value) => observer.next(value),
      error(error) {
        noteFailure(typeof raw === 'object' && raw !== null ? raw : request, error);
        observer.error(error);
      },
      complete: () => observer.complete(),
    }),
  );
}
