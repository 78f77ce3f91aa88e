import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { parseConfig } from '../../service/config.js';
import { stackOptions } from '../../service/options.js';
import { serverConfig } from '../../stack/clickhouse-config.js';
import { silentLog } from '../support/silent-log.js';
import { temporaryFolder } from '../support/temporary-folder.js';

t.test('ClickHouse syncs its inserts when files of a log go after them', async (t) => {
  const dataDir = await temporaryFolder(t);
  const optionsOf = (ack: string) =>
    stackOptions(parseConfig({ HEARTLINE_DATA_DIR: dataDir, HEARTLINE_ACK: ack }), silentLog);
  const syncs = (ack: string): (string | undefined)[] => {
    const { syncsInserts } = optionsOf(ack);
    const xml = serverConfig({ usersFile: 'users.xml', syncsInserts });
    return ['fsync_after_insert', 'fsync_part_directory'].map(
      (name) => new RegExp(`<${name}>(.*)</${name}>`).exec(xml)?.[1],
    );
  };
  t.equal(optionsOf('log').syncsInserts, true);
  t.strictSame(syncs('log'), ['1', '1']);
  t.equal(optionsOf('store').syncsInserts, false);
  t.strictSame(syncs('store'), ['0', '0']);
  await mkdir(join(dataDir, 'log'));
  t.equal(optionsOf('store').syncsInserts, true, 'a log that was left is delivered');
});
