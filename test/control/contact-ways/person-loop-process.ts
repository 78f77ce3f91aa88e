import { createWaySender, startPersonLoop } from '../../../control/contact-ways/index.js';
import { systemClock } from '../../../lib/clock.js';
import { openPostgres } from '../../../sql/open-postgres.js';
import { testSecretKey } from '../../support/embedded-stores.js';
import { silentLog } from '../../support/silent-log.js';

/** Runs the loop of messages to people in a process of its own, on the database in the argument, until it is killed. */
const [databaseUrl = ''] = process.argv.slice(2);
startPersonLoop({
  sql: openPostgres(databaseUrl, { max: 2 }),
  clock: systemClock,
  log: silentLog,
  secretKey: testSecretKey,
  sender: createWaySender({ clock: systemClock, allowPrivateAddresses: true }),
  alertLinkOf: () => 'https://heartline.example.com/',
});
