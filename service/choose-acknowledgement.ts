import { mkdir, open, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Log } from '../lib/log.js';
import { listOwners } from '../lib/outbox/log/adopt.js';
import { syncFolder } from '../lib/outbox/log/log-file.js';
import { errorCode } from '../stack/errors.js';
import { logDirOf } from './addresses.js';
import { type Config, usualDataDir } from './config.js';
import type { EventLogPlace } from './options.js';

type Acknowledgement = {
  /** `undefined` when PostgreSQL acknowledges. */
  eventLog: EventLogPlace | undefined;
  /** From where events are acknowledged, and why from there, behind “acknowledged from”. */
  sentence: string;
};

/** The disk is read-only, the folder belongs to somebody else, or a part of its path is a file. */
const unwritable = ['EROFS', 'EACCES', 'EPERM', 'ENOTDIR', 'EEXIST'];

/**
 * Chooses between the log, if its folder in the data folder can be created and written, and PostgreSQL. Warns when whoever
 * started the service expects a log and there is none: a data folder is set, or a log has events of an earlier start.
 *
 * @throws Error when the disk fails in another way, such as when it is full.
 */
export async function chooseAcknowledgement(
  { dataDir, logBytesMax }: Pick<Config, 'dataDir' | 'logBytesMax'>,
  log: Log,
): Promise<Acknowledgement> {
  const dir = logDirOf({ dataDir });
  const code = await tryToWrite(dir);
  if (code === undefined) {
    const sentence = `the log in ${dir}: the folder can be written`;
    return { eventLog: { dir: resolve(dir), bytesMax: logBytesMax }, sentence };
  }
  const reason = `${dir} cannot be written (${code})`;
  const hasEvents = (await listOwners(dir)).length > 0;
  if (hasEvents || resolve(dataDir) !== resolve(usualDataDir)) {
    const left = hasEvents ? ' Events that it holds are delivered by a start that can write it.' : '';
    log.warn({ dir, code }, `There is no log, because ${reason}; PostgreSQL acknowledges events.${left}`);
  }
  return { eventLog: undefined, sentence: `PostgreSQL: ${reason}` };
}

/** Returns the code of the error when the folder cannot be created or takes no file. */
async function tryToWrite(dir: string): Promise<string | undefined> {
  const probe = join(dir, `probe-${process.pid}`);
  try {
    await makeFolder(dir);
    await (await open(probe, 'w', 0o600)).close();
    await rm(probe);
    return undefined;
  } catch (error) {
    const code = errorCode(error);
    if (code !== undefined && unwritable.includes(code)) return code;
    throw error;
  }
}

/** Creates a folder that a power failure leaves: each folder on its path that did not exist is in one that was synced. */
async function makeFolder(dir: string): Promise<void> {
  const first = await mkdir(dir, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  for (let made = resolve(dir); made !== dirname(resolve(first)); made = dirname(made))
    await syncFolder(dirname(made));
}
