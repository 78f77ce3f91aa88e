import { startEmailLoop } from '../../../control/subscribers/index.js';
import { systemClock } from '../../../lib/clock.js';
import { openPostgres } from '../../../sql/open-postgres.js';
import { testSecretKey } from '../../support/embedded-stores.js';
import { silentLog } from '../../support/silent-log.js';

/** Runs the email loop in a process of its own, which a test kills. Arguments: the URLs of PostgreSQL and the SMTP server. */
const [databaseUrl = '', smtpUrl = ''] = process.argv.slice(2);

startEmailLoop({
  sql: openPostgres(databaseUrl),
  clock: systemClock,
  log: silentLog,
  secretKey: testSecretKey,
  smtpUrl,
  translates: false,
  originOf: (hostname) => `https://${hostname}`,
});
