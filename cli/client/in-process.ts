import { randomBytes } from 'node:crypto';
import type { Method, Transport } from './client.js';
import { locate } from './locate.js';
import type { App, AppDeps } from './open-app.js';

/**
 * Asks the routes in this process, which work on the stores of the command. They need no key: a person
 * who can open the stores may change everything in them.
 */
export function inProcess(deps: AppDeps & { secretKey(): Promise<string> }): Transport {
  /** The routes are loaded for the first request: they take longer than everything else that the command line loads. */
  const open = async (secretKey: string): Promise<App> => {
    const { openApp } = await import('./open-app.js');
    return openApp(deps, secretKey);
  };
  const withSecrets = once(async () => open(await deps.secretKey()));
  // The others sign cursors alone, which nobody sees after this process.
  const withoutSecrets = once(() => open(randomBytes(32).toString('hex')));

  return {
    name: 'The service',
    async request(method, path, body, condition) {
      const app = await (touchesSecrets(method, path) ? withSecrets() : withoutSecrets());
      return app.request(method, path, body, condition);
    },
    locate: async (noun, id) => locate((await deps.openControl()).sql, noun, id),
  };
}

const pathsWithSecrets = new RegExp(
  '^/api/v1/pages/[^/]+/(?:' +
    [
      'monitors(?!/[^/]+/(?:pause|resume)$)',
      'webhooks(?:$|/[^/]+/rotate$)',
      'channels',
      'event-store(?!/replay$)',
      'figure-export',
    ].join('|') +
    ')\\b',
);

/**
 * Whether a request seals or opens secrets. They need the key of the installation, which may be in another folder: all
 * else also works where only DATABASE_URL is known.
 */
function touchesSecrets(method: Method, path: string): boolean {
  return method !== 'GET' && method !== 'DELETE' && pathsWithSecrets.test(path);
}

/** Calls `make` on the first call, and returns its result on every call. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
