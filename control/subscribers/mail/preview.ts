import type { PageId, SubscriberId } from '../../../lib/ids.js';
import type { Sql } from '../../../sql/open-postgres.js';
import { type EmailAnnouncement, loadNames } from './announcements.js';
import { type ComposeDeps, composeAnnouncement, type EmailReader } from './compose.js';
import type { OutgoingMessage } from './smtp.js';

/** The id of no subscriber: the links of a preview end no subscription. */
const nobody = '00000000-0000-0000-0000-000000000000';

type PreviewInput = {
  page: Omit<EmailReader, 'id' | 'email' | 'language' | 'subscriberId'> & { id: PageId };
  language: string;
  announcement: Omit<EmailAnnouncement, 'services'>;
};

/** Composes the email that subscribers with the language would get. Nothing is stored or sent. */
export async function previewAnnouncement(
  { sql, ...deps }: ComposeDeps & { sql: Sql },
  { page: { id: pageId, ...page }, language, announcement }: PreviewInput,
): Promise<Pick<OutgoingMessage, 'subject' | 'html' | 'text'>> {
  const services = await loadNames(sql, pageId, announcement.entry.services);
  const reader = { ...page, language, id: nobody, email: '', subscriberId: nobody as SubscriberId };
  const { subject, html, text } = composeAnnouncement(deps, reader, { ...announcement, services });
  return { subject, html, text };
}
