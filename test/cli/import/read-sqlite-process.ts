import { kumaTables } from '../../../cli/import/kuma.js';
import { readSqlite } from '../../../cli/import/read-sqlite.js';

/** Reads the database in the argument, in a process of its own that a test ends. */
const [path = ''] = process.argv.slice(2);
await readSqlite(path, kumaTables, ['monitor']).catch((error: Error) => {
  process.stderr.write(error.message);
  process.exitCode = 1;
});
