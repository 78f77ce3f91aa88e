import { appendFile, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from './errors.js';

/** Records of the engine's deduplication log: operation, part and token, with tabs between and one a line. */
const operations = { add: '1', drop: '2' } as const;

/**
 * The engine notes a block's token before it moves the block's part into place. When it is killed between the two,
 * the note is left alone: the retry under the same token is then taken for a repetition, and the rows of an
 * acknowledged block are gone. This takes such a note back, before the engine starts, in the engine's own way, by
 * a record that drops it. A table has one at most, since the engine adds its parts one after another.
 */
export async function dropDanglingTokens(storeDir: string): Promise<void> {
  for (const group of await list(storeDir)) {
    for (const table of await list(join(storeDir, group))) await checkTable(join(storeDir, group, table));
  }
}

async function checkTable(tableDir: string): Promise<void> {
  const logs = (await list(join(tableDir, 'deduplication_logs'))).sort((a, b) => numberOf(a) - numberOf(b));
  const newest = logs.at(-1);
  const last = await readLastRecord(logs.map((log) => join(tableDir, 'deduplication_logs', log)));
  if (newest === undefined || last === undefined || last.operation !== operations.add) return;
  const part = parsePart(last.part);
  const parts = (await list(tableDir)).map(parsePart);
  if (part === undefined || parts.some((other) => other !== undefined && covers(other, part))) return;
  const record = `${operations.drop}\t${last.part}\t${last.token}\n`;
  await appendFile(join(tableDir, 'deduplication_logs', newest), record);
}

/** The newest log may be empty still. */
async function readLastRecord(paths: readonly string[]) {
  for (const path of paths.toReversed()) {
    const line = (await readFile(path, 'utf8')).trimEnd().split('\n').at(-1);
    const [operation = '', part = '', token = ''] = line?.split('\t') ?? [];
    if (token !== '') return { operation, part, token };
  }
  return undefined;
}

function numberOf(log: string): number {
  return Number(/\d+/.exec(log)?.[0]);
}

type Part = { partition: string; from: number; to: number };

/** `<partition>_<first block>_<last block>_<level>`, and a mutation's number behind it. */
function parsePart(name: string): Part | undefined {
  const [, partition, from, to] = /^([^_]+)_(\d+)_(\d+)_\d+(?:_\d+)?$/.exec(name) ?? [];
  return partition === undefined ? undefined : { partition, from: Number(from), to: Number(to) };
}

function covers(other: Part, part: Part): boolean {
  return other.partition === part.partition && other.from <= part.from && other.to >= part.to;
}

async function list(path: string): Promise<string[]> {
  try {
    return await readdir(path);
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return [];
    throw error;
  }
}
