import { randomUUID } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Log } from '../lib/log.js';
import { listOwners } from '../lib/outbox/log/adopt.js';
import { syncFolder } from '../lib/outbox/log/log-file.js';
import { errorCode } from '../stack/errors.js';
import { makeFolder } from '../stack/files.js';
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

/** The disk takes no more bytes or files. */
const full = ['ENOSPC', 'EDQUOT'];

type Chosen = Pick<Config, 'dataDir' | 'logBytesMax' | 'databaseUrl' | 'clickhouseUrl'>;

/**
 * Chooses between the log, if its folder in the data folder can be created and written, and PostgreSQL. Warns when
 * there is no log although the operator expects one: a data folder is set, the disk is full, or a log may have events of an
 * earlier start. Warns as well about the first log of a service that needs no data folder and got none.
 *
 * @throws Error when the disk fails in another way, and when it is full and the service needs it or was given it.
 */
export async function chooseAcknowledgement(config: Chosen, log: Log): Promise<Acknowledgement> {
  const dir = logDirOf(config);
  const isGiven = resolve(config.dataDir) !== resolve(usualDataDir);
  const isOnlyForLog = !isGiven && config.databaseUrl !== undefined && config.clickhouseUrl !== undefined;
  const { code, isNew } = await tryToWrite(dir, isOnlyForLog ? [...unwritable, ...full] : unwritable);
  if (code === undefined) {
    if (isNew && isOnlyForLog) {
      log.warn(
        { dir },
        `Events are acknowledged from the disk of ${dir}, a new folder, because it can be written. To choose, set HEARTLINE_DATA_DIR: to a volume for a log that outlives this machine, or to a folder that cannot be written for PostgreSQL.`,
      );
    }
    const sentence = `the log in ${dir}: the folder can be written`;
    return { eventLog: { dir: resolve(dir), bytesMax: config.logBytesMax }, sentence };
  }
  const reason = `${dir} cannot be written (${code})`;
  const left = await describeLeft(dir);
  if (left !== '' || isGiven || full.includes(code)) {
    log.warn({ dir, code }, `There is no log, because ${reason}; PostgreSQL acknowledges events.${left}`);
  }
  return { eventLog: undefined, sentence: `PostgreSQL: ${reason}` };
}

/** Returns a sentence about the events that a log may hold; an empty text when it holds none. */
async function describeLeft(dir: string): Promise<string> {
  try {
    const owners = await listOwners(dir);
    return owners.length === 0 ? '' : ' Events that it holds are delivered by a start that can write it.';
  } catch (error) {
    return ` It cannot be listed (${errorCode(error)}); events that it may hold are delivered by a start that can write it.`;
  }
}

/** Returns the code of the error when the folder cannot be created or takes no file; others than `expected` are thrown. */
async function tryToWrite(
  dir: string,
  expected: readonly string[],
): Promise<{ code?: string; isNew: boolean }> {
  // Several processes, in containers with equal process ids, may share the folder.
  const probe = join(dir, `probe-${randomUUID()}`);
  try {
    const made = await makeFolder(dir);
    // Folders that are new stay after a power failure.
    for (const one of made) await syncFolder(dirname(one));
    await (await open(probe, 'wx', 0o600)).close();
    await rm(probe, { force: true });
    return { isNew: made.length > 0 };
  } catch (error) {
    const code = errorCode(error);
    if (code !== undefined && expected.includes(code)) return { code, isNew: false };
    throw error;
  }
}
