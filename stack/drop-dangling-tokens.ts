import { appendFile, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from './errors.js';

/** Operations in the deduplication log of the engine, whose lines are operation, part and token between tabs. */
const operations = { add: '1', drop: '2' } as const;

/**
 * Drops tokens whose parts are missing. The engine notes the token of a block before it moves the part of the block into
 * place. When the engine is killed between the two, it takes the retry under the same token for a repetition, and the
 * rows of an acknowledged block are lost. Before the engine starts, this function therefore adds a record that drops
 * such a token, as the engine itself would. A table has one at most, because the engine adds parts one after another.
 */
export async function dropDanglingTokens(storeDir: string): Promise<void> {
  for (const group of await list(storeDir)) {
    for (const table of await list(join(storeDir, group))) await checkTable(join(storeDir, group, table));
  }
}

async function checkTable(tableDir: string): Promise<void> {
  const logs = (await list(join(tableDir, 'deduplication_logs'))).sort((a, b) => numberOf(a) - numberOf(b));
  const newest = logs.at(-1);
  const last = await findLastRecord(logs.map((log) => join(tableDir, 'deduplication_logs', log)));
  if (newest === undefined || last === undefined || last.operation !== operations.add) return;
  const part = parsePart(last.part);
  const parts = (await list(tableDir)).map(parsePart);
  if (part === undefined || parts.some((other) => other !== undefined && covers(other, part))) return;
  const record = `${operations.drop}\t${last.part}\t${last.token}\n`;
  await appendFile(join(tableDir, 'deduplication_logs', newest), record);
}

/** Returns the last record; the newest log may be empty. */
async function findLastRecord(paths: readonly string[]) {
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

/** Parses `<partition>_<first block>_<last block>_<level>`, which the number of a mutation may follow. */
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
