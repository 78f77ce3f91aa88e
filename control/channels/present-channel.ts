import type { ManagedChannel, ManagedMessage } from '../../contract/manage/channels.js';
import type { ListedChannel } from './find-channels.js';
import type { SentMessage } from './list-messages.js';
import { formatMinute } from './quiet-hours.js';

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
