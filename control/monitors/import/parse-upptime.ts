import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ServiceError } from '../../../lib/service-error.js';
import { parseTimestamp } from '../../../lib/timestamp.js';

/** A site of an Upptime repository (github.com/upptime/upptime), from its history folder. */
export type UpptimeSite = {
  name: string;
  url: string;
  slug: string;
  /** Time of the first check in milliseconds since the epoch; undefined when the site's own file is missing. */
  startedAt: number | undefined;
  /** By day, `YYYY-MM-DD`; days without downtime are absent. */
  minutesDown: ReadonlyMap<string, number>;
};

const summaryName = 'summary.json';

/**
 * Reads `summary.json`, an array of sites, and the `startTime` of each site from `<slug>.yml` beside it, which has lines
 * of `key: value`. The folder is a repository, or the history folder in it.
 *
 * @throws ServiceError `invalidBody` that names the file, the site and the field when the format is not Upptime's.
 */
export async function loadUpptime(folder: string): Promise<UpptimeSite[]> {
  const isInside = (await readIfThere(join(folder, summaryName))) !== undefined;
  const history = isInside ? folder : join(folder, 'history');
  const file = join(history, summaryName);
  const text = await readIfThere(file);
  if (text === undefined) throw invalid(`${file} is not there: ${folder} is no Upptime repository.`);
  const sites: UpptimeSite[] = [];
  for (const [index, entry] of parseArray(text, file).entries()) {
    const { texts, minutesDown } = parseEntry(entry, `${file}: site ${index + 1}`);
    sites.push({ ...texts, minutesDown, startedAt: await loadStart(join(history, `${texts.slug}.yml`)) });
  }
  return sites;
}

function parseArray(text: string, file: string): unknown[] {
  try {
    const value: unknown = JSON.parse(text);
    if (Array.isArray(value)) return value;
  } catch {}
  throw invalid(`${file} is not a JSON array.`);
}

function parseEntry(entry: unknown, where: string) {
  const fields: Record<string, unknown> = typeof entry === 'object' && entry !== null ? { ...entry } : {};
  const parseText = (field: string): string => {
    const value = fields[field];
    if (typeof value === 'string' && value !== '') return value;
    throw invalid(`${where}: "${field}" must be a text.`);
  };
  const texts = { name: parseText('name'), url: parseText('url'), slug: parseText('slug') };
  // The slug becomes part of a path.
  if (!/^[\p{L}\p{N}_-]+$/u.test(texts.slug)) throw invalid(`${where}: "${texts.slug}" is no slug.`);
  return { texts, minutesDown: parseMinutesDown(fields['dailyMinutesDown'] ?? {}, where) };
}

function parseMinutesDown(value: unknown, where: string): Map<string, number> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalid(`${where}: "dailyMinutesDown" must be an object.`);
  }
  const days = new Map<string, number>();
  for (const [day, minutes] of Object.entries(value)) {
    const isDay = /^\d{4}-\d\d-\d\d$/.test(day) && !Number.isNaN(parseTimestamp(`${day}T00:00:00Z`));
    if (!isDay) throw invalid(`${where}: "${day}" in "dailyMinutesDown" is no day.`);
    if (typeof minutes !== 'number' || !(minutes >= 0)) {
      throw invalid(`${where}: the minutes of ${day} must be a number.`);
    }
    days.set(day, minutes);
  }
  return days;
}

async function loadStart(file: string): Promise<number | undefined> {
  const text = await readIfThere(file);
  if (text === undefined) return undefined;
  const value = /^startTime:[ \t]*(['"]?)(.*?)\1[ \t]*\r?$/m.exec(text)?.[2] ?? '';
  const startedAt = parseTimestamp(value);
  if (Number.isNaN(startedAt)) throw invalid(`${file}: "startTime" must be a time, not "${value}".`);
  return startedAt;
}

async function readIfThere(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw error;
  });
}

function invalid(message: string): ServiceError {
  return new ServiceError('invalidBody', { message });
}
