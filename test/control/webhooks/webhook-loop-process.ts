import { startWebhookLoop } from '../../../control/webhooks/index.js';
import { openPostgres } from '../../../sql/open-postgres.js';
import { testSecretKey } from '../../support/embedded-stores.js';
import { makeMovingClock } from '../../support/moving-clock.js';
import { silentLog } from '../../support/silent-log.js';

/** Runs the webhook loop in a process of its own, on the database in the argument, until the process is killed. */
const [databaseUrl = ''] = process.argv.slice(2);
startWebhookLoop({
  sql: openPostgres(databaseUrl, { max: 2 }),
  clock: makeMovingClock(),
  log: silentLog,
  secretKey: testSecretKey,
  allowPrivateAddresses: true,
});
