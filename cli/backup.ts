import { resolve } from 'node:path';
import { assertStores, type Backup, backUp } from '../backup/back-up.js';
import { abortOnSignal } from './abort-on-signal.js';
import { assertEmbedded } from './assert-embedded.js';
import type { Command } from './command.js';
import { formatBytes, formatFields } from './output.js';
import { parseOptions } from './parse-options.js';
import { createProgressBar } from './progress-bar.js';
import { readVersion } from './read-version.js';

export const backup: Command = {
  name: 'backup',
  summary: 'copy both embedded stores, while the service runs',
  help: `heartline backup DIR [--json]

Copies the embedded PostgreSQL and ClickHouse of the data folder (HEARTLINE_DATA_DIR, ./data) to DIR, which must be
empty or not there yet. Nothing has to be stopped: events go on being accepted, and those that were acknowledged before
are in the backup, once. A secret key that the service keeps in its data folder is copied, too: whoever has the backup
then has what is encrypted in it. External stores have their own tools; docs/backup.md has the commands.

  --json  print one JSON object, {"directory", "createdAt", "postgres", "clickhouse", "heldMs", "secretKeyIncluded"}
`,
  async run(context, argv) {
    const { values, positionals } = parseOptions(argv, { json: { type: 'boolean' } }, ['DIR']);
    assertEmbedded(context.config);
    const directory = resolve(positionals[0] ?? '');
    const dataDir = resolve(context.config.dataDir);
    await assertStores(dataDir);
    const { secretKey, ...urls } = await context.locateStores();
    if (secretKey === undefined) throw new Error('The embedded stores have no secret key.');
    const { clock } = context;
    const began = performance.now();
    const bar = createProgressBar(process.stderr);
    const made = await abortOnSignal(async (signal) =>
      backUp({
        ...{ ...urls, secretKey, dataDir, directory, clock, signal, version: await readVersion() },
        onProgress: (store, bytes) => bar.show(undefined, `${store}: ${formatBytes(bytes)}`),
      }),
    ).finally(() => bar.clear());
    if (values.json) return context.print({ directory, ...made });
    context.print(describe(directory, made, (performance.now() - began) / 1000));
  },
};

function describe(directory: string, made: Backup, seconds: number): string {
  const { postgres, clickhouse, heldMs, secretKeyIncluded } = made;
  const fields = formatFields([
    ['  PostgreSQL', `${formatBytes(postgres.bytes)} in ${postgres.files} files`],
    [
      '  ClickHouse',
      `${formatBytes(clickhouse.bytes)} in ${clickhouse.files} files; inserts waited ${heldMs} ms`,
    ],
  ]);
  const key = secretKeyIncluded
    ? 'The secret key is in it: keep it where nobody else can read it.'
    : 'The secret key is not in it: keep HEARTLINE_SECRET_KEY as well, a restore needs the same one.';
  return `${directory} holds the backup, made in ${seconds.toFixed(1)} s.\n${fields}${key}\n`;
}
