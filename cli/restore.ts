import { resolve } from 'node:path';
import { restore as restoreBackup } from '../backup/restore.js';
import { abortOnSignal } from './abort-on-signal.js';
import { assertEmbedded } from './assert-embedded.js';
import type { Command } from './command.js';
import { parseOptions } from './parse-options.js';
import { createProgressBar } from './progress-bar.js';

export const restore: Command = {
  name: 'restore',
  summary: 'put the stores of a backup into an empty data folder',
  help: `heartline restore DIR [--json]

Puts the stores of the backup in DIR into the data folder (HEARTLINE_DATA_DIR, ./data), which must have none, and on
which no service runs. Each file is checked on the way. heartline serve then starts on them, and brings stores of an
older version up to date. When it is interrupted, nothing starts on the folder until the same was done again.

  --json  print one JSON object, {"dataDir", "createdAt", "version"}
`,
  async run(context, argv) {
    const { values, positionals } = parseOptions(argv, { json: { type: 'boolean' } }, ['DIR']);
    assertEmbedded(context.config);
    const directory = resolve(positionals[0] ?? '');
    const dataDir = resolve(context.config.dataDir);
    const { secretKey } = context.config;
    const bar = createProgressBar(process.stderr);
    const { createdAt, version } = await abortOnSignal((signal) =>
      restoreBackup({
        ...{ directory, dataDir, secretKey, signal },
        onProgress: (share) => bar.show(share, 'restored'),
      }),
    ).finally(() => bar.clear());
    if (values.json) return context.print({ dataDir, createdAt, version });
    context.print(
      `${dataDir} holds the stores as they were at ${createdAt}. Start the service with: heartline serve\n`,
    );
  },
};
