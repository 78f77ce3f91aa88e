import { resolve } from 'node:path';
import { type Config, usualDataDir } from './config.js';

/** Where the service listens by HOST and PORT. */
export function usualServiceUrl({ host, port }: Pick<Config, 'host' | 'port'>): string {
  const isAny = host === '0.0.0.0' || host === '::';
  return `http://${isAny ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** How a command begins that works on the stores of this configuration, for a shell in the same folder. */
export function commandPrefixOf({ dataDir }: Pick<Config, 'dataDir'>): string {
  if (resolve(dataDir) === resolve(usualDataDir)) return 'npx heartline';
  return `HEARTLINE_DATA_DIR=${quoteForShell(dataDir)} npx heartline`;
}

/** Returns a text as one word of a command for a POSIX shell. */
export function quoteForShell(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
