import pino from 'pino';
import type { Log } from '../lib/log.js';
import type { LogFormat, LogLevel } from './config.js';

type Terminal = { isTTY?: boolean | undefined; write(text: string): unknown };

export type StartLog = {
  log: Log;
  /** Names what the start is doing. On a terminal one line shows it, with the seconds so far. */
  begin(step: string): void;
  /** Ends the start: removes that line. What is logged from now on is printed. */
  end(): void;
};

type Options = {
  level: LogLevel;
  /** By default text on a terminal, and JSON into a file or a pipe. */
  format?: LogFormat | undefined;
  terminal: Terminal;
  /** Whether to show the progress of the start. Of several processes on a terminal, one does. */
  showsStart: boolean;
};

const infoLevel = 30;
const intervalMs = 1000;

/**
 * Opens the log of a process. As text it is for people: what the start does takes one line, which is rewritten in
 * place, instead of a line for each table. As JSON it is for programs, which get every line.
 */
export function openLog({ level, format, terminal, showsStart }: Options): StartLog {
  const isText = (format ?? (terminal.isTTY ? 'text' : 'json')) === 'text';
  if (!isText) {
    const log = pino({ level, base: null }, { write: (line) => terminal.write(line) });
    return { log, begin() {}, end() {} };
  }
  const line = createStepLine(showsStart && terminal.isTTY === true ? terminal : undefined);
  let isStarting = true;
  const write = (text: string): void => {
    const record = JSON.parse(text) as LogRecord;
    if (isStarting && record.level <= infoLevel) {
      const { store, migration } = record;
      if (typeof migration === 'string')
        line.show(`Creating tables: ${store}/${migration.replace('.sql', '')}`);
      return;
    }
    line.clear();
    terminal.write(formatLogLine(record));
  };
  return {
    log: pino({ level, base: null }, { write }),
    begin: (step) => line.show(step),
    end() {
      isStarting = false;
      line.end();
    },
  };
}

/** Makes a line that is rewritten in place, once a second at least. Without a terminal it shows nothing. */
function createStepLine(terminal: Terminal | undefined) {
  const startedAt = performance.now();
  let step = '';
  const draw = (): void => {
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    if (step !== '') terminal?.write(`\r\x1b[K${step}… ${seconds} s`);
  };
  const timer = terminal === undefined ? undefined : setInterval(draw, intervalMs);
  timer?.unref();
  const clear = (): void => {
    if (step !== '') terminal?.write('\r\x1b[K');
  };
  return {
    show(text: string): void {
      step = text;
      draw();
    },
    clear,
    end(): void {
      clearInterval(timer);
      clear();
      step = '';
    },
  };
}

/** A line of the log as pino writes it, in JSON. */
type LogRecord = { level: number; time: number; msg: string; [field: string]: unknown };

const levels: Readonly<Record<number, string>> = {
  10: 'trace',
  20: 'debug',
  30: 'info',
  40: 'warn',
  50: 'error',
  60: 'fatal',
};

/** Returns a line for people: time, level, sentence, then the fields, and below it what is known of an error. */
export function formatLogLine({ level, time, msg, err, ...fields }: LogRecord): string {
  const clock = new Date(time).toISOString().slice(11, 19);
  const values = Object.entries(fields).map(([name, value]) => ` ${name}=${formatValue(value)}`);
  return `${clock} ${(levels[level] ?? '').padEnd(5)} ${msg}${values.join('')}\n${formatError(err)}`;
}

function formatValue(value: unknown): string {
  return typeof value === 'string' && /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value);
}

/** The stack begins with the message. */
function formatError(error: unknown): string {
  if (typeof error !== 'object' || error === null) return '';
  const { stack, message }: { stack?: unknown; message?: unknown } = error;
  const text = typeof stack === 'string' ? stack : String(message ?? JSON.stringify(error));
  return text.replace(/^/gm, '  ').concat('\n');
}
