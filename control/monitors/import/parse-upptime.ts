import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ServiceError } from '../../../lib/service-error.js';
import { parseDay, parseTimestamp } from '../../../lib/timestamp.js';
import { type ConfiguredSite, parseUpptimeConfig, parseUpptimeNotes } from './upptime-config.js';

/** A site of an Upptime repository (github.com/upptime/upptime), from its history folder and its configuration. */
export type UpptimeSite = {
  name: string;
  url: string;
  slug: string;
  /** `http`, `tcp-ping`, `ws` or `ssl`; undefined when `.upptimerc.yml` does not have the site. */
  check: string | undefined;
  port: string | undefined;
  /** Settings of the check, and notes about those that are not here; absent when `.upptimerc.yml` does not have the site. */
  settings?: Pick<ConfiguredSite, 'method' | 'expectStatus' | 'expectBody'>;
  notes?: readonly string[];
  /** Time of the first check in milliseconds since the epoch; undefined when the history does not say it. */
  startedAt: number | undefined;
  /** Why `startedAt` is undefined. */
  startUnknown?: string;
  /** Why the site cannot be taken. */
  fault?: string;
  /** By day, `YYYY-MM-DD`; days without downtime are absent. */
  minutesDown: ReadonlyMap<string, number>;
};

const summaryName = 'summary.json';

/** A site with downtime on each day takes 10 kB of the summary, and a page has at most 1,000 monitors. */
const summaryBytesMax = 16 * 1024 * 1024;
/** Most bytes of every other file: the files of Upptime have less than 1 kB a site. */
const fileBytesMax = 1024 * 1024;

/**
 * Reads `summary.json`, an array of sites; the `startTime` of each site from `<slug>.yml` beside it; and the port and the
 * kind of check from `.upptimerc.yml`, if it is there. The folder is a repository, or the history folder in it. Nothing
 * is read of the history that git keeps.
 *
 * @throws ServiceError `invalidBody` that names the file, the site and the field when the format is not Upptime's.
 */
export async function loadUpptime(folder: string): Promise<UpptimeSite[]> {
  const isInside = (await readIfThere(join(folder, summaryName), summaryBytesMax)) !== undefined;
  const history = isInside ? folder : join(folder, 'history');
  const file = join(history, summaryName);
  const text = await readIfThere(file, summaryBytesMax);
  if (text === undefined) {
    throw invalid(
      `${file} is not there: ${folder} is no Upptime repository. Name a clone of one, or the history folder in it.`,
    );
  }
  const configFile = join(history, '..', '.upptimerc.yml');
  const configured = parseUpptimeConfig((await readIfThere(configFile, fileBytesMax)) ?? '', configFile);
  const sites: UpptimeSite[] = [];
  for (const [index, entry] of parseArray(text, file).entries()) {
    const where = `site ${index + 1}`;
    try {
      const { texts, minutesDown } = parseEntry(entry, `${file}: ${where}`);
      const start = await loadStart(history, texts.slug);
      sites.push({ ...texts, ...findCheck(texts, configured), ...start, minutesDown });
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      sites.push(brokenSite(where, error.message));
    }
  }
  return sites;
}

/** Notes about `.upptimerc.yml` as a whole. @throws as loadUpptime() */
export async function loadUpptimeNotes(folder: string): Promise<string[]> {
  for (const file of [join(folder, '.upptimerc.yml'), join(folder, '..', '.upptimerc.yml')]) {
    const text = await readIfThere(file, fileBytesMax);
    if (text !== undefined) return parseUpptimeNotes(text, file);
  }
  return [];
}

/** A row that cannot be taken stands under its place, and leaves the others alone. */
function brokenSite(slug: string, fault: string): UpptimeSite {
  const nothing = { check: undefined, port: undefined, startedAt: undefined, minutesDown: new Map() };
  return { ...nothing, name: slug, url: '', slug, fault };
}

/** Upptime derives the slugs of most sites from their names, which are the same in both files, as are the URLs. */
function findCheck(
  { name, url, slug }: Pick<UpptimeSite, 'name' | 'url' | 'slug'>,
  configured: readonly ConfiguredSite[],
): Pick<UpptimeSite, 'check' | 'port' | 'settings' | 'notes'> {
  const site =
    configured.find((one) => one.slug === slug) ??
    configured.find((one) => one.slug === undefined && one.name === name && one.url === url);
  if (site === undefined) return { check: undefined, port: undefined };
  const { check = 'http', port, method, expectStatus, expectBody, notes } = site;
  return { check, port, settings: { method, expectStatus, expectBody }, notes };
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
  if (/[\p{Cc}/\\]|^\.+$/u.test(texts.slug)) throw invalid(`${where}: "${texts.slug}" is no slug.`);
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

/**
 * Reads `startTime` from the file of a site. Until November 2020 Upptime wrote each line as an entry of a list, and at
 * first without `startTime`; until August 2023 it wrote the time as `Date.prototype.toString` does.
 */
async function loadStart(
  history: string,
  slug: string,
): Promise<Pick<UpptimeSite, 'startedAt' | 'startUnknown'>> {
  const file = join(history, `${slug}.yml`);
  const text = await readIfThere(file, fileBytesMax);
  const unknown = (why: string) => ({
    startedAt: undefined,
    startUnknown: `history/${slug}.yml ${why}: its days are known from the first day with downtime on`,
  });
  if (text === undefined) return unknown('is missing');
  const value = /^(?:- +)?startTime:[ \t]*(['"]?)(.*?)\1[ \t]*\r?$/m.exec(text)?.[2] ?? '';
  if (value === '') return unknown('has no "startTime"');
  const startedAt = parseStart(value);
  if (Number.isNaN(startedAt)) throw invalid(`${file}: "startTime" must be a time, not "${value}".`);
  return { startedAt };
}

const dateText = /^[A-Z][a-z]{2} [A-Z][a-z]{2} \d\d \d{4} \d\d:\d\d:\d\d GMT[+-]\d{4}(?: \([^()]*\))?$/;

/** Returns milliseconds since the epoch, or NaN. */
function parseStart(value: string): number {
  if (dateText.test(value)) return Date.parse(value);
  const time = parseTimestamp(value);
  return Number.isNaN(time) ? parseDay(value) : time;
}

/** Returns the text of a file; undefined when there is none. @throws ServiceError `invalidBody` for a larger one. */
async function readIfThere(path: string, bytesMax: number): Promise<string | undefined> {
  try {
    const found = await stat(path);
    if (!found.isFile()) throw invalid(`${path} is no file.`);
    if (found.size > bytesMax) {
      throw invalid(`${path} has ${found.size} bytes, and at most ${bytesMax} are read.`);
    }
    return await readFile(path, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}

function invalid(message: string): ServiceError {
  return new ServiceError('invalidBody', { message });
}
