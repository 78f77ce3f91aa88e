import { channelConfirmEvent, channelReminderEvent } from '../../../contract/channels.js';
import type { AnnouncementId } from '../../../lib/ids.js';
import { matchLanguage } from '../../../lib/locale/language.js';
import { toPlainText } from '../../../web/mails/email-text.js';
import { textsOf } from '../../../web/texts/texts-of.js';
import type { StoredMessage } from '../../channels/index.js';
import type { EmailAnnouncement } from '../mail/announcements.js';
import { factsOf, labelOf, oneLine, type PickText } from '../mail/compose.js';

/** A page as messages to chats need it. */
export type ChatPage = { name: string; languages: readonly string[]; defaultLanguage: string };

/** The message that asks a chat for its confirmation. `now` is in milliseconds since the epoch. */
export function composeConfirmMessage(
  { name }: Pick<ChatPage, 'name'>,
  { language, key, now }: { language: string; key: string; now: number },
): StoredMessage {
  const phrases = textsOf('incident-mail', language);
  return {
    ...{ event: channelConfirmEvent, phase: 'note', severity: 'info', key, at: new Date(now).toISOString() },
    title: phrases.confirmSubject({ page: name }),
    text: `${phrases.confirmText({ page: name })} ${phrases.confirmNote}`,
    facts: [],
    readerLinks: [{ text: phrases.confirmButton, purpose: 'confirm' }],
  };
}

/** The message that announces a change to a chat, in the language of the subscriber where there is a translation. */
export function composeChatMessage(
  { languages, defaultLanguage }: ChatPage,
  announcement: EmailAnnouncement,
  { id, language, now }: { id: AnnouncementId; language: string; now: number },
): StoredMessage {
  const phrases = textsOf('incident-mail', language);
  const { entry, update, kind, isReminder, incidentId } = announcement;
  const pick: PickText = (texts) =>
    texts[language] ?? texts[defaultLanguage] ?? Object.values(texts)[0] ?? '';
  const shown = matchLanguage(language, languages) ?? defaultLanguage;
  const facts = factsOf(announcement, phrases, pick, language);
  return {
    ...{ event: isReminder ? channelReminderEvent : kind, ...toneOf(announcement) },
    ...{ key: isReminder ? id : incidentId, at: new Date(now).toISOString() },
    title: `${phrases.labels[labelOf(announcement)]}: ${oneLine(pick(entry.title))}`,
    text: toPlainText(pick(update?.body ?? entry.summary)),
    facts: facts.map(([name, value]) => ({ name, value })),
    readerLinks: [
      { text: phrases.open, path: `/${shown}/incidents/${incidentId}` },
      { text: phrases.manage, purpose: 'manage' },
    ],
  };
}

/** Maintenance is planned, and no reason to worry. */
function toneOf({ entry, isReminder }: EmailAnnouncement): Pick<StoredMessage, 'phase' | 'severity'> {
  if (entry.type === 'maintenance' || isReminder) {
    return { phase: entry.resolvedAt === null ? 'note' : 'end', severity: 'info' };
  }
  return { phase: entry.resolvedAt === null ? 'begin' : 'end', severity: 'warning' };
}
