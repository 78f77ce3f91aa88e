import { ServiceError } from '../../lib/service-error.js';

/** A command line that cannot be understood: exit code 2, with a hint to --help. */
export class UsageError extends Error {
  override name = 'UsageError';
}

type Ending = { exitCode: 1 | 2; message: string; hint?: string };

/** How an error ends the command: its exit code, one sentence for the person who ran it, and what to do where it lacks that. */
export function describeError(error: unknown): Ending {
  const hint = error instanceof ServiceError ? error.hint : undefined;
  const exitCode = error instanceof UsageError ? 2 : 1;
  return { exitCode, message: messageOf(error), ...(hint !== undefined && { hint }) };
}

/** Codes of the drivers for a connection that was there when the command began and is lost. */
const lostConnection = /^(?:ECONN(?:REFUSED|RESET)|EPIPE|CONNECTION_(?:CLOSED|ENDED|DESTROYED)|57P0[123])$/;

/** The error's own message; the message of the first cause when it has none. */
export function messageOf(error: unknown): string {
  // A connection that was tried on several addresses fails with an AggregateError without a message.
  if (error instanceof AggregateError && error.message === '') return messageOf(error.errors[0]);
  if (!(error instanceof Error)) return String(error);
  if ('code' in error && typeof error.code === 'string' && lostConnection.test(error.code)) {
    return `A store stopped while the command ran (${error.code}). Start the service again, and repeat the command.`;
  }
  if ('code' in error && 'path' in error && typeof error.path === 'string') {
    if (error.code === 'ENOENT') return `There is no file ${error.path}; correct its name.`;
    if (error.code === 'EISDIR') return `${error.path} is a folder; name a file.`;
    if (error.code === 'EACCES') return `${error.path} cannot be opened: its permissions do not allow it.`;
  }
  return error.message || error.name;
}
