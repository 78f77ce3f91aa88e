import t from 'tap';
import { parseConfig } from '../../service/config.js';
import { stackOptions } from '../../service/options.js';
import { serverConfig } from '../../stack/clickhouse-config.js';
import { silentLog } from '../support/silent-log.js';

t.test(
  'ClickHouse syncs its inserts, because the log and PostgreSQL forget a block after them',
  async (t) => {
    const { syncsInserts } = stackOptions(parseConfig({}), silentLog);
    const xml = serverConfig({ usersFile: 'users.xml', syncsInserts });
    const synced = ['fsync_after_insert', 'fsync_part_directory'].map(
      (name) => new RegExp(`<${name}>(.*)</${name}>`).exec(xml)?.[1],
    );
    t.strictSame(synced, ['1', '1']);
  },
);
