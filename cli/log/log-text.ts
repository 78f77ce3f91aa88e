import type { OwnerState } from '../../lib/outbox/log/owner-state.js';
import { formatBytes } from '../core/output.js';

/** Files in the folder of one owner that wait for one store. */
export type StoreContents = {
  store: string;
  files: number;
  bytes: number;
  events: number;
  /** Times of the oldest and the newest event; null without events. */
  oldestAt: string | null;
  newestAt: string | null;
  /** Stretches between whole records that cannot be read. */
  damaged: number;
  /** Files that do not end with a whole record. */
  tornTails: number;
  /** Files of which nothing can be read, each with the reason. */
  unreadable: { path: string; reason: string }[];
  /** Files that an earlier delivery kept for what it could not read. */
  kept: number;
};

export type OwnerContents = {
  id: string;
  path: string;
  state: OwnerState;
  lastSignAt: string | null;
  stores: StoreContents[];
};

/** Returns the owners of a log as `log show` prints them. */
export function logText(dir: string, owners: readonly OwnerContents[]): string {
  if (owners.length === 0) return `There is no log in ${dir}: nothing waits there.\n`;
  return owners.map(ownerText).join('');
}

function ownerText({ path, state, lastSignAt, stores }: OwnerContents): string {
  const since = state === 'silent' ? `, no sign of life since ${lastSignAt}` : '';
  const lines = stores.length === 0 ? ['nothing waits'] : stores.flatMap(storeLines);
  return [`${path}  ${state}${since}`, ...lines.map((line) => `  ${line}`), ''].join('\n');
}

function storeLines({ store, files, bytes, unreadable, ...rest }: StoreContents): string[] {
  const { events, oldestAt, newestAt, damaged, tornTails, kept } = rest;
  const times = oldestAt === null ? '' : `, from ${oldestAt} to ${newestAt}`;
  const faults = [
    ...(damaged > 0 ? [counted(damaged, 'damaged stretch', 'damaged stretches')] : []),
    ...(tornTails > 0 ? [counted(tornTails, 'torn end')] : []),
    ...(kept > 0 ? [`${counted(kept, 'file')} kept for damage`] : []),
  ];
  const size = `${counted(files, 'file')}, ${formatBytes(bytes)}`;
  return [
    [`${store}: ${size}, ${counted(events, 'event')}${times}`, ...faults].join('; '),
    ...unreadable.map(({ path, reason }) => `  ${path} cannot be read: ${reason}`),
  ];
}

/** A number with its noun, such as "1 file" and "2 files". */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
