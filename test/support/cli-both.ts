import type { Test } from 'tap';
import { createKey } from '../../control/keys/index.js';
import { systemClock } from '../../lib/clock.js';
import { testActor } from './actor.js';
import { environmentFor } from './cli-environment.js';
import { makeKey } from './pages.js';
import { type HeartlineRun, runInProcess } from './run-heartline.js';
import { startTestService, type TestService, withoutJobs } from './service.js';

type Run = (...args: string[]) => Promise<HeartlineRun>;

export type BothWays = {
  service: TestService;
  /** Runs a command on the stores. */
  local: Run;
  /** Runs a command where DATABASE_URL is all that is known: there is no key that opens secrets. */
  withoutSecrets: Run;
  /** Runs a command over HTTP, with a manage key of the page `acme`. */
  remote: Run;
  /** Runs a command over HTTP, with a key of the installation. */
  admin: Run;
  /** The key of `remote`. */
  key: string;
  /** Whether both ways print the same. */
  same(t: Test, ...args: string[]): Promise<HeartlineRun>;
};

/** Starts a service and runs commands on its stores and over HTTP. */
export async function openBothWays(t: Test): Promise<BothWays> {
  const service = await startTestService(t, { roles: withoutJobs, allowPrivateAddresses: true });
  const deps = { sql: service.stores.sql, clock: systemClock, by: testActor };
  const { key } = await makeKey(deps, { slug: 'acme', scope: 'manage' });
  const { key: adminKey } = await createKey(deps, { pageId: null, scope: 'admin' });
  const stores = {
    ...environmentFor(service.stores),
    BASE_URL: service.url,
    HEARTLINE_ALLOW_PRIVATE_ADDRESSES: 'on',
  };
  const over = (key: string): Run => {
    // Without stores: what a command reaches, it reaches over HTTP.
    return (...args) => runInProcess(args, { HEARTLINE_URL: service.url, HEARTLINE_KEY: key });
  };
  const local: Run = (...args) => runInProcess(args, stores);
  const remote = over(key);
  const alone = { DATABASE_URL: service.stores.databaseUrl, HEARTLINE_DATA_DIR: t.testdir() };
  return {
    ...{
      service,
      local,
      withoutSecrets: (...args) => runInProcess(args, alone),
      remote,
      admin: over(adminKey),
      key,
    },
    async same(t, ...args) {
      const [there, here] = [await remote(...args), await local(...args)];
      t.same(there, here, args.join(' '));
      return there;
    },
  };
}
