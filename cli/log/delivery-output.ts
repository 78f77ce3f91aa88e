import type { LeftDelivery } from '../../ingest/log/deliver-left.js';
import { commandName } from '../../lib/printed-commands.js';
import type { Output } from '../core/define-command.js';
import { formatBytes } from '../core/output.js';
import { counted } from './log-text.js';

/** The result of a delivery: the files that were delivered, the folders whose page has no store, and the files left. */
export function deliveryOutput(
  { stopped, ...done }: LeftDelivery,
  { refused, left, command }: { refused: readonly string[]; left: number; command: string },
): Output {
  const failures = [
    ...(stopped === undefined ? [] : [`${stopped} Nothing is lost; go on with: ${command}`]),
    ...done.unreadable.map(({ path, reason }) => `${path} cannot be read: ${reason}`),
    ...done.declined.map(({ path, reason }) => `ClickHouse refuses ${path}: ${reason}`),
    ...refused.map(noStore),
    ...(done.damaged > 0 ? [`${damagedText(done.damaged)} could not be read; the rest is delivered.`] : []),
  ];
  return {
    json: { ...done, refused, left },
    text: deliveredText(done, left),
    failure: failures.length === 0 ? undefined : failures.join('\n'),
  };
}

function deliveredText(done: Omit<LeftDelivery, 'stopped'>, left: number): string {
  const { files, bytes, events, taken, damaged, tailBytes, kept } = done;
  const skipped = [
    ...(damaged > 0 ? [damagedText(damaged)] : []),
    ...(tailBytes > 0 ? [`${formatBytes(tailBytes)} behind the last whole record`] : []),
  ];
  const lines = [
    `${counted(files, 'file')} with ${counted(events, 'event')} (${formatBytes(bytes)}) delivered, ${left} left.`,
    ...(taken > 0
      ? [`Another process took ${counted(taken, 'file')} over meanwhile, and delivers them.`]
      : []),
    ...(kept.length > 0 ? [`Skipped ${skipped.join(' and ')}. These files are kept:`] : []),
    ...kept.map((path) => `  ${path}`),
  ];
  return `${lines.join('\n')}\n`;
}

const damagedText = (damaged: number): string => counted(damaged, 'damaged stretch', 'damaged stretches');

/** The buffer of a page without a store of its own would discard its events. */
function noStore(folder: string): string {
  return `${folder} stays: no page with this id has a ClickHouse of its own (any more). Set one with ${commandName} store set \
and run the command again, or delete the folder to give these events up.`;
}
