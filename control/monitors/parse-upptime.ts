import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ControlError } from '../../lib/control-error.js';
import { parseTimestamp } from '../../lib/timestamp.js';

/** A site of an Upptime repository (github.com/upptime/upptime), as its history folder has it. */
export type UpptimeSite = {
  name: string;
  url: string;
  slug: string;
  /** When it was first checked, in milliseconds since the epoch; undefined when its own file is not there. */
  startedAt: number | undefined;
  /** By day, `YYYY-MM-DD`; days without any are absent. */
  minutesDown: ReadonlyMap<string, number>;
};

const summaryName = 'summary.json';

/**
 * Reads `summary.json`, an array of sites, and beside it `<slug>.yml` of each site, lines of `key: value` of which
 * `startTime` is asked for. The folder is a repository, or the history folder in it.
 *
 * @throws ControlError that names the file, the site and the field when something is not as Upptime writes it.
 */
export async function readUpptime(folder: string): Promise<UpptimeSite[]> {
  const isInside = (await readIfThere(join(folder, summaryName))) !== undefined;
  const history = isInside ? folder : join(folder, 'history');
  const file = join(history, summaryName);
  const text = await readIfThere(file);
  if (text === undefined) throw new ControlError(`${file} is not there: ${folder} is no Upptime repository.`);
  const sites: UpptimeSite[] = [];
  for (const [index, entry] of parseArray(text, file).entries()) {
    const { read, minutesDown } = readEntry(entry, `${file}: site ${index + 1}`);
    sites.push({ ...read, minutesDown, startedAt: await readStart(join(history, `${read.slug}.yml`)) });
  }
  return sites;
}

function parseArray(text: string, file: string): unknown[] {
  try {
    const value: unknown = JSON.parse(text);
    if (Array.isArray(value)) return value;
  } catch {}
  throw new ControlError(`${file} is not a JSON array.`);
}

function readEntry(entry: unknown, where: string) {
  const fields: Record<string, unknown> = typeof entry === 'object' && entry !== null ? { ...entry } : {};
  const readText = (field: string): string => {
    const value = fields[field];
    if (typeof value === 'string' && value !== '') return value;
    throw new ControlError(`${where}: "${field}" must be a text.`);
  };
  const read = { name: readText('name'), url: readText('url'), slug: readText('slug') };
  // It becomes part of a path.
  if (!/^[\p{L}\p{N}_-]+$/u.test(read.slug)) throw new ControlError(`${where}: "${read.slug}" is no slug.`);
  return { read, minutesDown: readMinutesDown(fields['dailyMinutesDown'] ?? {}, where) };
}

function readMinutesDown(value: unknown, where: string): Map<string, number> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ControlError(`${where}: "dailyMinutesDown" must be an object.`);
  }
  const days = new Map<string, number>();
  for (const [day, minutes] of Object.entries(value)) {
    const isDay = /^\d{4}-\d\d-\d\d$/.test(day) && !Number.isNaN(parseTimestamp(`${day}T00:00:00Z`));
    if (!isDay) throw new ControlError(`${where}: "${day}" in "dailyMinutesDown" is no day.`);
    if (typeof minutes !== 'number' || !(minutes >= 0)) {
      throw new ControlError(`${where}: the minutes of ${day} must be a number.`);
    }
    days.set(day, minutes);
  }
  return days;
}

async function readStart(file: string): Promise<number | undefined> {
  const text = await readIfThere(file);
  if (text === undefined) return undefined;
  const value = /^startTime:[ \t]*(['"]?)(.*?)\1[ \t]*\r?$/m.exec(text)?.[2] ?? '';
  const startedAt = parseTimestamp(value);
  if (Number.isNaN(startedAt)) throw new ControlError(`${file}: "startTime" must be a time, not "${value}".`);
  return startedAt;
}

async function readIfThere(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw error;
  });
}
