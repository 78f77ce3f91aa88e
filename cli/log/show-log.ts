import { basename, join, resolve } from 'node:path';
import { keptSuffix } from '../../ingest/log/deliver-left.js';
import { describeSegment } from '../../ingest/log/segment.js';
import { listLog } from '../../lib/outbox/log/adopt.js';
import { checkAccess, type FoundLog, findLog, hasLog } from '../../lib/outbox/log/find-log.js';
import { type LogPath, namesIn } from '../../lib/outbox/log/log-folder.js';
import { loadOwnerState } from '../../lib/outbox/log/owner-state.js';
import { logDirOf } from '../../service/addresses.js';
import { fateOf } from '../../stack/process-identity.js';
import type { CommandContext } from '../core/context.js';
import { defineCommand } from '../core/define-command.js';
import { messageOf } from '../core/errors.js';
import { isoTime } from '../core/output.js';
import { logText, type OwnerContents, type StoreContents } from './log-text.js';

export const showLogCommand = defineCommand({
  name: 'log show',
  summary: 'show what waits in a log of events, and whose it is',
  help: `Shows the events that were acknowledged and wait in files for their store. DIR is a data folder, its folder "log", or
the folder of one owner in that; without DIR, it is the log of your data folder (HEARTLINE_DATA_DIR, ./data). An owner is
a process of the service. It needs no store, changes nothing, and may be run at any time: what a running service has
just taken is on its way to the store.

  running     its process runs, or gave a sign of life in the last 15 s
  ended       its process has ended
  silent      its process cannot be seen from here, and gives no sign of life
  left        it was given up in order, or restored from a backup

"default" is the store of the installation; other stores are named by the id of their page. What follows a torn end was
never acknowledged, or is damaged.`,
  arguments: { directory: '[DIR]' },
  json: '{"dir", "owners": [...]}',
  async run(context, { directory }) {
    const found = await find(context, directory);
    const owners: OwnerContents[] = [];
    for (const path of found.owners) owners.push(await loadOwner(path, context.clock.now()));
    return { json: { dir: found.dir, owners }, text: logText(found.dir, owners) };
  },
});

/** A data folder without a log is no mistake when nobody named it: PostgreSQL acknowledges the events of its service. */
async function find({ config }: CommandContext, directory: string | undefined): Promise<FoundLog> {
  if (directory === undefined) {
    const dir = resolve(logDirOf(config));
    if (!(await hasLog(resolve(config.dataDir)))) return { dir, owners: [] };
  }
  const found = await findLog(directory === undefined ? resolve(logDirOf(config)) : resolve(directory));
  await checkAccess(found, false);
  return found;
}

async function loadOwner(path: string, now: number): Promise<OwnerContents> {
  const { state, signAt } = await loadOwnerState(path, fateOf, now);
  const files = await listLog(path);
  const stores: StoreContents[] = [];
  for (const store of (await namesIn(path)).sort()) {
    const ofStore = files.filter((file) => file.store === store);
    stores.push(await loadStore(path, store, ofStore, state === 'running'));
  }
  return {
    ...{ id: basename(path), path, state },
    lastSignAt: isoAt(signAt),
    stores: stores.filter(({ files, kept }) => files + kept > 0),
  };
}

async function loadStore(
  owner: string,
  store: string,
  files: readonly LogPath[],
  isRunning: boolean,
): Promise<StoreContents> {
  const kept = (await namesIn(join(owner, store))).filter((name) => name.endsWith(keptSuffix)).length;
  const found: StoreContents = {
    ...{ store, files: 0, bytes: 0, events: 0, oldestAt: null, newestAt: null },
    ...{ damaged: 0, tornTails: 0, unreadable: [], kept },
  };
  const times: number[] = [];
  for (const file of files) {
    try {
      const { bytes, events, oldest, newest, damaged, tailBytes } = await describeSegment(file.path);
      // A running service has the next file ready, and one that has ended may have left it.
      if (bytes === 0) continue;
      found.bytes += bytes;
      found.events += events;
      if (oldest !== undefined) times.push(oldest);
      if (newest !== undefined) times.push(newest);
      found.damaged += damaged;
      // The end of a file that is being written may be on its way.
      if (tailBytes > 0 && !isRunning) found.tornTails += 1;
    } catch (error) {
      // A running service may have delivered and removed the file since it was listed.
      if (isGone(error)) continue;
      found.unreadable.push({ path: file.path, reason: messageOf(error) });
      found.bytes += file.bytes;
    }
    found.files += 1;
  }
  times.sort((a, b) => a - b);
  return { ...found, oldestAt: isoAt(times[0]), newestAt: isoAt(times.at(-1)) };
}

const isoAt = (at: number | undefined): string | null => isoTime(at === undefined ? null : new Date(at));

function isGone(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
