import { remindOfMaintenance } from '../../../control/incidents/index.js';
import { openPostgres } from '../../../sql/open-postgres.js';
import { silentLog } from '../../support/silent-log.js';

/** Sends what is due of reminders at a time, in a process of its own: the arguments are the database and the time. */
const [databaseUrl = '', now = ''] = process.argv.slice(2);
const sql = openPostgres(databaseUrl, { max: 1 });
await remindOfMaintenance({ sql, clock: { now: () => Number(now) }, log: silentLog });
await sql.end();
