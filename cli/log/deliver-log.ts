import { basename, dirname, join, resolve } from 'node:path';
import { findEventStore } from '../../control/event-stores/index.js';
import { createDeliveryBuffer } from '../../ingest/buffer/delivery-buffer.js';
import type { StoreName } from '../../ingest/buffer/waiting-blocks.js';
import { createClickHouseStore } from '../../ingest/commit/clickhouse-store.js';
import { deliverToBuffer, deliverToStore } from '../../ingest/log/deliver.js';
import { deliverLeft, type LeftFile, noDelivery } from '../../ingest/log/deliver-left.js';
import type { Deliver } from '../../ingest/log/segment-queue.js';
import { type PageId, parseId } from '../../lib/ids.js';
import { listLog, removeOwner } from '../../lib/outbox/log/adopt.js';
import { checkAccess, type FoundLog, findLog } from '../../lib/outbox/log/find-log.js';
import { type LogPath, logFolderName, namesIn, removeSpares } from '../../lib/outbox/log/log-folder.js';
import { quoteForShell } from '../../service/addresses.js';
import { describeThisProcess, hasEnded } from '../../stack/process-identity.js';
import { abortOnSignal } from '../core/abort-on-signal.js';
import type { OpenStores } from '../core/context.js';
import { defineCommand } from '../core/define-command.js';
import { createProgressBar } from '../core/progress-bar.js';
import { deliveryOutput } from './delivery-output.js';
import { counted } from './log-text.js';
import { refuseRunning } from './refuse-running.js';

export const deliverLogCommand = defineCommand({
  name: 'log deliver',
  summary: 'deliver the events of a log that no service takes over',
  help: `Delivers the events in the log in DIR to the stores of this installation, and removes each file when its store has it.
DIR is as in: heartline log show. A service on the same data folder takes over by itself what other processes left there;
this is for a folder that none uses, such as a copy, or a disk from a machine that does not start any more.

The log of a process that runs is refused, and nothing changes. A process that cannot be seen from here is watched for 15
seconds first: one sign of life, and it is refused as well. The owner of a page's own ClickHouse gets its events through
the delivery buffer (heartline store show), from which a running service delivers them.

Every whole record is delivered. A file with bytes that cannot be read stays, as NAME.log.damaged: nothing delivers it
again; delete it when you do not need it any more. A file of which nothing can be read stays as it is, and so does one
that ClickHouse refuses; the others are delivered.

When the command is interrupted or a store fails, run it again: the name of a file is the token under which the store
recognises its content, so what the store already had counts once. This ends when ClickHouse has stored 10,000 blocks
since, which takes three hours at one block a second and a quarter of an hour at ten, because it remembers that many
tokens for each table.`,
  arguments: { directory: 'DIR' },
  json: '{"files", "bytes", "events", "taken", "damaged", "tailBytes", "kept", "unreadable", "declined", "refused", "left"}',
  async run(context, input) {
    const directory = resolve(input.directory);
    const command = `${context.commandPrefix} log deliver ${quoteForShell(directory)}`;
    const found = await findLog(directory);
    await checkAccess(found, true);
    return abortOnSignal('The command was interrupted.', async (signal) => {
      await refuseRunning(context, found.owners, signal);
      const files = await listFiles(found);
      if (files.length === 0) return deliveryOutput(noDelivery(), { refused: [], left: 0, command });
      const stores = await context.openStores();
      const { accepted, refused } = await sortOut(stores, files);
      const bar = createProgressBar();
      const bytes = accepted.reduce((sum, file) => sum + file.bytes, 0);
      const done = await deliverLeft(accepted, {
        ...{ dir: claimFolderOf(found), signal, log: context.log, deliver: deliverTo(stores) },
        owner: { description: await describeThisProcess(), hasEnded },
        onProgress: (now) =>
          bar.show(now.bytes / bytes, `${now.files} of ${counted(accepted.length, 'file')}`),
      }).finally(() => bar.clear());
      await removeEmpty(found, directory);
      const left = (await listFiles(found)).length;
      return deliveryOutput(done, { refused, left, command });
    });
  },
});

/** A service adopts what an interrupted delivery leaves, when that is beside the folders of the other owners. */
function claimFolderOf({ dir }: FoundLog): string {
  return basename(dirname(dir)) === logFolderName ? dirname(dir) : dir;
}

async function listFiles({ owners }: FoundLog): Promise<LogPath[]> {
  return (await Promise.all(owners.map(listLog))).flat();
}

function deliverTo({ sql, clickhouse, clock, log }: OpenStores): Deliver {
  const bufferOf = (store: StoreName) => createDeliveryBuffer({ sql, clock, log }, store);
  const toDefault = deliverToStore({
    ...{ store: createClickHouseStore(clickhouse), buffer: bufferOf('default'), log },
    metrics: { inserted() {}, insertFailed() {} },
  });
  const toBuffer = deliverToBuffer(bufferOf);
  return (block, delivery, stopping) =>
    (delivery.store === 'default' ? toDefault : toBuffer)(block, delivery, stopping);
}

/** Parts the files that have a store from the files of pages without one, whose buffer would discard them. */
async function sortOut(
  { sql }: OpenStores,
  files: readonly LogPath[],
): Promise<{ accepted: LeftFile[]; refused: string[] }> {
  const known = new Map<string, StoreName>([['default', 'default']]);
  for (const name of new Set(files.map(({ store }) => store))) {
    const pageId = parseId<PageId>(name);
    if (pageId !== undefined && (await findEventStore({ sql }, pageId)) !== undefined)
      known.set(name, pageId);
  }
  const accepted = files.flatMap((file) => {
    const store = known.get(file.store);
    return store === undefined ? [] : [{ ...file, store }];
  });
  const refused = files.filter(({ store }) => !known.has(store)).map(({ path }) => dirname(path));
  return { accepted, refused: [...new Set(refused)] };
}

/** Removes the folders of owners that hold nothing any more, but none that was named on the command line. */
async function removeEmpty({ owners }: FoundLog, named: string): Promise<void> {
  for (const path of owners) {
    if ((await listLog(path)).length > 0) continue;
    if (path !== named) await removeOwner(path);
    else for (const store of await namesIn(path)) await removeSpares(join(path, store));
  }
}
