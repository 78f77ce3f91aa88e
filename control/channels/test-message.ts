import { channelTestEvent } from '../../contract/channels.js';
import type { ChannelMessage } from './formats/message.js';

/** The message that shows whether a channel works. `at` is in milliseconds since the epoch. */
export function testMessage({
  page,
  key,
  at,
  link,
}: {
  page: string;
  key: string;
  at: number;
  link: string;
}): ChannelMessage {
  return {
    ...{ event: channelTestEvent, phase: 'note', severity: 'info', page, key, link },
    title: 'This is a test',
    text: 'This channel works. It is told when something needs your attention, and again when that is over.',
    facts: [],
    at: new Date(at).toISOString(),
  };
}
