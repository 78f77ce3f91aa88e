import { resolve } from 'node:path';
import { assertStores, type Backup, backUp } from '../backup/back-up.js';
import { restore as restoreBackup } from '../backup/restore.js';
import type { Config } from '../service/config.js';
import { readVersion } from '../service/version.js';
import { abortOnSignal } from './core/abort-on-signal.js';
import { defineCommand } from './core/define-command.js';
import { formatBytes, formatFields } from './core/output.js';
import { createProgressBar } from './core/progress-bar.js';

const interrupted = 'Interrupted; nothing of it is left.';

export const backupCommands = [
  defineCommand({
    name: 'backup',
    summary: 'copy both embedded stores and the event log while the service runs',
    help: `Copies the embedded PostgreSQL and ClickHouse of the data folder (HEARTLINE_DATA_DIR, ./data), and the events that
wait in its log, to DIR, which must be empty or missing. The service keeps running and accepting events; events that it acknowledged before the backup are in
it, once. If the service keeps its secret key in the data folder, the key is copied too: a reader of the backup can then
decrypt what is encrypted in it. External stores have their own tools; /docs/backup of the service has the commands.`,
    arguments: { directory: 'DIR' },
    json: '{"directory", "createdAt", "log", "postgres", "clickhouse", "heldMs", "secretKeyIncluded"}',
    async run({ config, clock, ...context }, input) {
      assertEmbedded(config);
      const directory = resolve(input.directory);
      const dataDir = resolve(config.dataDir);
      await assertStores(dataDir);
      const stores = await context.locateStores();
      const began = performance.now();
      const bar = createProgressBar();
      const version = await readVersion();
      const made = await abortOnSignal(interrupted, (signal) =>
        backUp({
          ...{ ...stores, dataDir, directory, clock, signal, version },
          onProgress: (part, bytes) => bar.show(undefined, `${part}: ${formatBytes(bytes)}`),
        }),
      ).finally(() => bar.clear());
      const seconds = (performance.now() - began) / 1000;
      return { json: { directory, ...made }, text: backupText(directory, made, seconds) };
    },
  }),

  defineCommand({
    name: 'restore',
    summary: 'restore the stores of a backup into an empty data folder',
    help: `Restores the stores of the backup in DIR into the data folder (HEARTLINE_DATA_DIR, ./data), which must hold no
stores and no log, and have no service running on it. Each file is checked on the way. heartline serve then starts on
them, delivers the events of the log, and migrates stores of an older version. After an interrupted restore, nothing starts on the folder until you have run the
same restore again.`,
    arguments: { directory: 'DIR' },
    json: '{"dataDir", "createdAt", "version"}',
    async run({ config, commandPrefix }, input) {
      assertEmbedded(config);
      const directory = resolve(input.directory);
      const dataDir = resolve(config.dataDir);
      const { secretKey } = config;
      const bar = createProgressBar();
      const { createdAt, version } = await abortOnSignal(interrupted, (signal) =>
        restoreBackup({
          ...{ directory, dataDir, secretKey, signal },
          onProgress: (share) => bar.show(share, 'restored'),
        }),
      ).finally(() => bar.clear());
      const text = `${dataDir} holds the stores of ${createdAt}. Start the service with: ${commandPrefix} serve\n`;
      return { json: { dataDir, createdAt, version }, text };
    },
  }),
];

/** @throws Error when a store is external: only the files of the embedded ones can be copied. */
function assertEmbedded({ databaseUrl, clickhouseUrl }: Config): void {
  const external = [
    ...(databaseUrl === undefined ? [] : ['DATABASE_URL (use pg_dump and pg_restore)']),
    ...(clickhouseUrl === undefined ? [] : ['CLICKHOUSE_URL (use BACKUP DATABASE and RESTORE DATABASE)']),
  ];
  if (external.length > 0) {
    throw new Error(
      `This is for the embedded stores, and the environment sets ${external.join(' and ')}; /docs/backup of the service has the commands.`,
    );
  }
}

function backupText(directory: string, made: Backup, seconds: number): string {
  const { log, postgres, clickhouse, heldMs, secretKeyIncluded } = made;
  const size = ({ bytes, files }: Backup['postgres']): string => `${formatBytes(bytes)} in ${files} files`;
  const fields = formatFields([
    ['  Event log', size(log)],
    ['  PostgreSQL', size(postgres)],
    ['  ClickHouse', `${size(clickhouse)}; inserts waited ${heldMs} ms`],
  ]);
  const key = secretKeyIncluded
    ? 'The secret key is in it: keep the backup where nobody else can read it.'
    : 'The secret key is not in it: keep HEARTLINE_SECRET_KEY as well, a restore needs the same one.';
  return `${directory} holds the backup, made in ${seconds.toFixed(1)} s.\n${fields}${key}\n`;
}
