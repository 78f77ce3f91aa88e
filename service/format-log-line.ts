/** A line of the log as pino writes it, in JSON. */
export type LogRecord = { level: number; time: number; msg: string; [field: string]: unknown };

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
