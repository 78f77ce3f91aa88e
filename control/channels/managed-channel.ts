import type { ManagedChannel, ManagedMessage } from '../../contract/manage/channels.js';
import { ServiceError } from '../../lib/service-error.js';
import type { ListedChannel, QuietHours } from './channel.js';
import type { SentMessage } from './messages.js';
import { formatMinute, parseMinute } from './quiet-hours.js';

/** A channel as the management API and the command line show it. */
export function toManagedChannel(channel: ListedChannel): ManagedChannel {
  const { id, kind, name, host, settings, topics, quietHours, waiting, last } = channel;
  const { server, chat, region } = settings;
  return {
    ...{ id, kind, name, host },
    settings: {
      ...(server !== undefined && { server }),
      ...(chat !== undefined && { chat }),
      ...(region !== undefined && { region }),
    },
    topics,
    quietHours: quietHours && {
      from: formatMinute(quietHours.fromMinute),
      to: formatMinute(quietHours.toMinute),
    },
    enabled: channel.disabledAt === null,
    createdAt: channel.createdAt.toISOString(),
    waiting,
    last: last && { ...last, at: last.at.toISOString() },
  };
}

/** A message of a channel as the management API and the command line show it. */
export function toManagedMessage(message: SentMessage): ManagedMessage {
  const { createdAt, nextAttemptAt, finishedAt, ...rest } = message;
  return {
    ...rest,
    createdAt: createdAt.toISOString(),
    nextAttemptAt: nextAttemptAt?.toISOString() ?? null,
    finishedAt: finishedAt?.toISOString() ?? null,
  };
}

/**
 * Reads quiet hours as people write them, `HH:MM`.
 *
 * @throws ServiceError `invalidBody` for another form, and when both are the same.
 */
export function parseQuietHours(hours: { from: string; to: string } | null): QuietHours | null {
  if (hours === null) return null;
  const [fromMinute, toMinute] = [parseMinute(hours.from), parseMinute(hours.to)];
  if (fromMinute === undefined || toMinute === undefined) {
    throw new ServiceError('invalidBody', { message: 'Quiet hours are two times, such as 22:00 and 07:00.' });
  }
  if (fromMinute === toMinute) {
    throw new ServiceError('invalidBody', {
      message: 'Quiet hours begin and end at different times; turn the channel off for a whole day.',
    });
  }
  return { fromMinute, toMinute };
}
