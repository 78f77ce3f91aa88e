import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { parseConfig } from '../../service/config.js';
import { stackOptions } from '../../service/options.js';
import { usualMemoryBytes } from '../../stack/clickhouse-config.js';
import { startStack } from '../../stack/start-stack.js';
import { silentLog } from '../support/silent-log.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const gigabyte = 1e9;

t.test('the engine may use two fifths of the memory of the machine, or of its container', async (t) => {
  t.equal(usualMemoryBytes(20 * gigabyte, 0), 8 * gigabyte, 'no container');
  t.equal(usualMemoryBytes(20 * gigabyte, 2 ** 63), 8 * gigabyte, 'a container without a limit');
  t.equal(usualMemoryBytes(20 * gigabyte, 2 * gigabyte), 0.8 * gigabyte, 'a container with a limit');
});

t.test('HEARTLINE_CLICKHOUSE_MEMORY reaches the engine', async (t) => {
  const dataDir = await temporaryFolder(t);
  const config = parseConfig({ HEARTLINE_DATA_DIR: dataDir, HEARTLINE_CLICKHOUSE_MEMORY: '700MB' });
  // Only the embedded ClickHouse is needed, and nothing connects to the other store.
  const databaseUrl = 'postgres://nobody@127.0.0.1:1/none';
  const stack = await startStack({ ...stackOptions(config, silentLog), databaseUrl });
  t.teardown(() => stack.stop());
  const settings = await readFile(join(dataDir, 'clickhouse/config.xml'), 'utf8');
  t.match(settings, '<max_server_memory_usage>700000000</max_server_memory_usage>');
  const url = new URL(stack.clickhouseUrl);
  const authorization = `Basic ${btoa(`${url.username}:${url.password}`)}`;
  const query = "SELECT value FROM system.server_settings WHERE name = 'max_server_memory_usage'";
  const answer = await fetch(`${url.origin}/?query=${encodeURIComponent(query)}`, {
    headers: { authorization },
  });
  t.equal(await answer.text(), '700000000\n');
});
