import { Writable } from 'node:stream';
import pino from 'pino';
import type { Log } from '../../lib/log.js';

/** Returns the logger of the service at its most verbose level, and everything it has written. */
export function captureLog(): { log: Log; text(): string; entries(): Record<string, unknown>[] } {
  let text = '';
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      text += chunk.toString();
      done();
    },
  });
  return {
    log: pino({ level: 'trace', base: null }, stream),
    text: () => text,
    entries: () =>
      text
        .split('\n')
        .filter((line) => line !== '')
        .map((line): Record<string, unknown> => JSON.parse(line)),
  };
}
