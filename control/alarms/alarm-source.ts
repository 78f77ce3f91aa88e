import type { ChannelScreen, ChannelTopic } from '../../contract/channels.js';
import type { PageId } from '../../lib/ids.js';
import { formatSpan } from '../../lib/spans-in-words.js';
import type { ChannelMessage, Severity } from '../channels/index.js';

type Facts = ChannelMessage['facts'];

/** Something that a team should know of, for as long as it lasts. */
export type Trouble = {
  pageId: PageId;
  /** The thing in trouble, such as the id of a monitor. */
  subject: string;
  /** Its name, for lists. */
  name: string;
  since: Date;
  title: string;
  text: string;
  facts: Facts;
  /** The query of the screen that shows it, such as a range of time. */
  query?: Readonly<Record<string, string>>;
};

/** Trouble that was reported, and is over. */
export type Alarm = { subject: string; name: string; since: Date };

/** The content of a message about trouble that is over. */
export type Ending = { title: string; text: string; facts: Facts };

/** The severity, the screen and the titles that all messages about a topic have. */
export type AlarmKind = {
  topic: ChannelTopic;
  severity: Severity;
  /** The screen of the dashboard that shows it. */
  screen: ChannelScreen;
  /** The title when many begin at once, and when the last of them is over. */
  many: { begin(count: number): string; end(count: number): string };
};

/** Where the trouble of one topic comes from. */
export type AlarmSource = AlarmKind & {
  /** Loads the trouble of these pages now. */
  load(pageIds: readonly PageId[]): Promise<Trouble[]>;
  /** Says how an alarm of a page ended. */
  explainEnd(pageId: PageId, alarm: Alarm): Promise<Ending>;
};

/** Returns how long trouble lasted, as a fact of a message. */
export function lasted(since: Date, now: number): { name: string; value: string } {
  return { name: 'Lasted', value: formatSpan(now - since.getTime()) };
}
