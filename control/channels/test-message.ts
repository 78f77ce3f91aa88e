import { channelTestEvent } from '../../contract/channels.js';
import type { ChannelMessage } from './formats/message.js';

/** The text of the link that leads a team to the screen that a message is about. */
export const openDashboard = 'Open the dashboard';

/** The message that shows whether a channel works. `at` is in milliseconds since the epoch. */
export function testMessage({
  page,
  key,
  at,
  url,
}: {
  page: string;
  key: string;
  at: number;
  url: string;
}): ChannelMessage {
  return {
    ...{ event: channelTestEvent, phase: 'note', severity: 'info', page, key },
    links: [{ text: openDashboard, url }],
    title: 'This is a test',
    text: 'This channel works. It reports when something needs your attention, and again when that is over.',
    facts: [],
    at: new Date(at).toISOString(),
  };
}
