import { startChannelLoop } from '../../../control/channels/index.js';
import { systemClock } from '../../../lib/clock.js';
import { openPostgres } from '../../../sql/open-postgres.js';
import { testSecretKey } from '../../support/embedded-stores.js';
import { silentLog } from '../../support/silent-log.js';

/** Runs the loop of channels in a process of its own, on the database in the argument, until the process is killed. */
const [databaseUrl = ''] = process.argv.slice(2);
startChannelLoop({
  sql: openPostgres(databaseUrl, { max: 2 }),
  clock: systemClock,
  log: silentLog,
  secretKey: testSecretKey,
  allowPrivateAddresses: true,
  linkOf: () => 'https://heartline.example.com/',
  alertLinkOf: ({ alertId }) => `https://heartline.example.com/manage/alert?token=${alertId}`,
  originOf: (hostname) => `https://${hostname}`,
});
