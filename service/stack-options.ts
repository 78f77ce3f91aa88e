import { existsSync } from 'node:fs';
import { readableTables } from '../contract/sql-tables.js';
import type { Log } from '../lib/log.js';
import type { StackOptions } from '../stack/start-stack.js';
import { logDirOf } from './addresses.js';
import type { Config } from './config.js';

/** The options of the embedded stores. A store for which the configuration has a URL is not started. */
export function stackOptions(config: Config, log: Log): StackOptions {
  const { dataDir, clickhouseUrl, databaseUrl, secretKey, clickhouseMemoryBytes } = config;
  return {
    dataDir,
    database: 'heartline',
    readerTables: readableTables,
    log,
    // A file of the log goes when ClickHouse has answered, so ClickHouse must answer for as much as the log did.
    syncsInserts: config.ack === 'log' || existsSync(logDirOf(config)),
    ...(clickhouseUrl !== undefined && { clickhouseUrl }),
    ...(databaseUrl !== undefined && { databaseUrl }),
    ...(secretKey !== undefined && { secretKey }),
    ...(clickhouseMemoryBytes !== undefined && { clickhouseMemoryBytes }),
  };
}
