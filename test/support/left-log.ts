import { randomBytes } from 'node:crypto';
import { mkdir, readFile, truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeName, makeSource } from '../../ingest/names/names.js';
import { EventRecord, recordVersion } from '../../ingest/record/event-record.js';
import { createLogFile } from '../../lib/outbox/log/log-file.js';
import { makeToken, ownerFile } from '../../lib/outbox/log/log-folder.js';
import { spareSuffix } from '../../lib/outbox/log/spare-files.js';
import { stepBytes } from '../../lib/outbox/log/written-content.js';
import { describeThisProcess } from '../../stack/process-identity.js';

export type LeftFolder = {
  path: string;
  /** Each file, with the offsets at which its records begin. */
  files: { path: string; offsets: number[] }[];
};

type Options = {
  /** The page of the events. */
  pageId: string;
  store?: string;
  /** For each file, the number of events of each of its records. */
  files?: number[][];
  /** The owner's file about itself; null for a folder that was given up. By default its process has ended. */
  owner?: string | null;
  /** Version of the records. */
  version?: number;
  /** Name of the folder. */
  id?: string;
};

/** Time of the first event of each record; those after it follow each other by a millisecond. */
export const leftAt = Date.now() - 60_000;

/** Leaves the log of a process in a folder. */
export async function leaveLog(dir: string, options: Options): Promise<LeftFolder> {
  const { version = recordVersion, pageId, id = randomBytes(8).toString('hex') } = options;
  const { store = 'default', owner = await endedOwner() } = options;
  const path = join(dir, id);
  await mkdir(join(path, store), { recursive: true });
  if (owner !== null) await writeFile(join(path, ownerFile), owner);
  const files: LeftFolder['files'] = [];
  for (const [number, events] of (options.files ?? [[1]]).entries()) {
    const file = join(path, store, `${makeToken(id, number + 1)}.log`);
    files.push({ path: file, offsets: await writeRecords(file, { version, pageId }, events) });
  }
  return { path, files };
}

/** Describes a process that has ended for certain. */
export async function endedOwner(): Promise<string> {
  const here: object = JSON.parse(await describeThisProcess());
  return JSON.stringify({ ...here, startedAt: 'before the machine was started' });
}

/** Describes a process that cannot be seen from here. */
export async function foreignOwner(): Promise<string> {
  const here: object = JSON.parse(await describeThisProcess());
  return JSON.stringify({ ...here, space: 'another-machine pid:[1]' });
}

async function writeRecords(
  path: string,
  { version, pageId }: { version: number; pageId: string },
  records: readonly number[],
): Promise<number[]> {
  const file = await createLogFile(path, { mayBeLost: () => false });
  const shop = makeSource(pageId, 'service', 'shop');
  const [endpoint, method] = [makeName('/left'), makeName('GET')];
  const offsets: number[] = [];
  for (const length of records) {
    const record = new EventRecord();
    const batch = {
      length,
      status: new Uint16Array(length).fill(200),
      at: Float64Array.from({ length }, (_, i) => leftAt + i),
      latencyMs: new Float64Array(length).fill(5),
      source: new Array(length).fill(shop),
      endpoint: new Array(length).fill(endpoint),
      method: new Array(length).fill(method),
      message: new Array(length).fill(undefined),
      samples: new Map(),
    };
    record.add(batch, [shop], leftAt);
    offsets.push(file.bytes);
    await file.append(version, record.chunks(), () => true);
  }
  await file.close();
  return offsets;
}

/** Leaves a file as its process has it that writes it ahead, with a file that is ready and a spare one beside it. */
export async function writeAhead(path: string): Promise<void> {
  await truncate(path, stepBytes);
  const ready = join(dirname(path), `${makeToken(randomBytes(8).toString('hex'), 1)}.log`);
  await writeFile(ready, Buffer.alloc(stepBytes));
  await writeFile(`${ready}${spareSuffix}`, await readFile(path));
}

/** Changes one bit of a file. */
export async function flipByte(path: string, at: number): Promise<void> {
  const bytes = await readFile(path);
  bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
  await writeFile(path, bytes);
}
