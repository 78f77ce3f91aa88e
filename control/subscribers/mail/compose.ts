import { LRUCache } from 'lru-cache';
import { isCalledOff, type LedgerEntry } from '../../../contract/incidents.js';
import { logoPathOf } from '../../../contract/public/status-page.js';
import { linkPaths } from '../../../contract/subscribers.js';
import { matchLanguage } from '../../../lib/locale/language.js';
import { signToken } from '../../../lib/secrets/secret-box.js';
import { type EmailBrand, type EmailLayout, renderEmailHtml } from '../../../web/mails/email-layout.js';
import { renderEmailText } from '../../../web/mails/email-text.js';
import type { IncidentMailTexts } from '../../../web/texts/areas.js';
import { textsOf } from '../../../web/texts/texts-of.js';
import type { EmailAnnouncement } from './announcements.js';
import type { ClaimedEmail } from './email-queue.js';
import type { OutgoingMessage } from './smtp.js';

export type ComposeDeps = {
  secretKey: string;
  /** Returns where the pages of a host are reached, such as `https://status.example.com`. */
  originOf: (hostname: string) => string;
  /** Address of the sender; no-reply at the host of the page when `undefined`. */
  from: string | undefined;
  /** In place of the address of the logo, for an email that is only looked at. */
  logoUrl?: string | undefined;
  /** Milliseconds since the epoch. */
  now: number;
};

/** The recipient of an email, and the page that it is about. */
export type EmailReader = Pick<
  ClaimedEmail,
  | 'email'
  | 'language'
  | 'subscriberId'
  | 'pageName'
  | 'hostname'
  | 'languages'
  | 'defaultLanguage'
  | 'accent'
  | 'logoHash'
  | 'logoAlone'
> & { id: string };

/** Picks the text for the reader from its languages. */
export type PickText = (texts: Record<string, string>) => string;

/** Composes the email that asks an address for its confirmation. */
export function composeConfirmation(deps: ComposeDeps, email: ClaimedEmail): OutgoingMessage {
  const phrases = textsOf('incident-mail', email.language);
  const brand = brandOf(deps, email);
  const pageName = brand.name;
  const layout = {
    brand,
    language: phrases.language,
    subject: `[${pageName}] ${phrases.confirmSubject({ page: pageName })}`,
    title: phrases.confirmSubject({ page: pageName }),
    text: { plain: phrases.confirmText({ page: pageName }) },
    facts: [],
    button: { text: phrases.confirmButton, url: linkTo(deps, email, 'confirm') },
    note: phrases.confirmNote,
  };
  return toMessage(deps, email, layout, {});
}

/** Composes the email that announces a change, in the language of the subscriber where there is a translation. */
export function composeAnnouncement(
  deps: ComposeDeps,
  email: EmailReader,
  announcement: EmailAnnouncement,
): OutgoingMessage {
  const phrases = textsOf('incident-mail', email.language);
  const brand = brandOf(deps, email);
  const pageName = brand.name;
  const { entry, update } = announcement;
  const pick: PickText = (texts) =>
    texts[email.language] ?? texts[email.defaultLanguage] ?? Object.values(texts)[0] ?? '';
  const title = oneLine(pick(entry.title));
  const label = phrases.labels[labelOf(announcement)];
  const unsubscribeUrl = unsubscribeLink(deps, email);
  const layout = {
    language: email.language,
    brand,
    subject: `[${pageName}] ${label}: ${title}`,
    label,
    title,
    text: { markdown: pick(update?.body ?? entry.summary) },
    facts: factsOf(announcement, phrases, pick, email.language),
    button: { text: phrases.open, url: `${brand.url}incidents/${announcement.incidentId}` },
    note: phrases.why({ page: pageName }),
    manage: { text: phrases.manage, url: linkTo(deps, email, 'manage') },
    unsubscribe: { text: phrases.unsubscribe, url: unsubscribeUrl },
  };
  const message = toMessage(deps, email, layout, {
    'List-Id': `<incidents.${email.hostname}>`,
    'List-Unsubscribe': `<${unsubscribeUrl}>`,
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click', // RFC 8058
  });
  // No message has this id, but all messages of the incident refer to it, which makes them one thread.
  return { ...message, thread: `incident-${announcement.incidentId}@${email.hostname}` };
}

/**
 * Returns the identity of the page. It has no address in a language that it no longer publishes; the browser then chooses
 * one.
 */
export function brandOf({ originOf, logoUrl }: ComposeDeps, email: EmailReader): EmailBrand {
  const { hostname, accent, logoHash, logoAlone } = email;
  const language = matchLanguage(email.language, email.languages);
  const origin = originOf(hostname);
  return {
    name: oneLine(email.pageName),
    url: language === undefined ? `${origin}/` : `${origin}/${language}/`,
    ...(accent !== null && { accent }),
    ...(logoHash !== null && { logoUrl: logoUrl ?? `${origin}${logoPathOf(logoHash)}`, logoAlone }),
  };
}

export function labelOf({
  kind,
  entry,
  update,
  isReminder,
}: EmailAnnouncement): keyof IncidentMailTexts['labels'] {
  if (isReminder && !isCalledOff(entry)) return 'soon';
  const [type, verb] = kind.split('.');
  if (type === 'maintenance') return maintenanceLabel(entry, verb);
  if (verb === 'created') return entry.resolvedAt === null ? 'created' : 'resolved';
  if (verb === 'resolved' || verb === 'reopened') return verb;
  return update?.status ?? 'updated';
}

function maintenanceLabel(entry: LedgerEntry, verb: string | undefined): keyof IncidentMailTexts['labels'] {
  const { maintenanceState } = entry;
  if (isCalledOff(entry)) return 'calledOff';
  if (verb === 'update_posted') return 'maintenanceUpdated';
  if (verb === 'resolved' || maintenanceState === 'completed') return 'completed';
  if (maintenanceState === 'in_progress') return 'inProgress';
  return verb === 'updated' ? 'maintenanceUpdated' : 'scheduled';
}

export function factsOf(
  { entry, services }: EmailAnnouncement,
  phrases: IncidentMailTexts,
  pick: PickText,
  language: string,
): [string, string][] {
  const time = (at: string): string => formatTime(at, language);
  const facts: [string, string][] = [];
  if (services.length > 0)
    facts.push([phrases.affected, services.map((names) => oneLine(pick(names))).join(', ')]);
  if (entry.maintenanceState === 'scheduled' || isCalledOff(entry)) {
    const end = entry.scheduledEndAt === null ? '' : ` – ${time(entry.scheduledEndAt)}`;
    return [...facts, [phrases.planned, time(entry.startedAt) + end]];
  }
  facts.push([phrases.started, time(entry.startedAt)]);
  if (entry.resolvedAt !== null) facts.push([phrases.ended, time(entry.resolvedAt)]);
  return facts;
}

/** Creating a format takes longer than the rest of an email. Keyed by language; a page has 50 at most. */
const timeFormats = new LRUCache<string, Intl.DateTimeFormat>({ max: 200 });

/** Formats a time in UTC, because the time zone of the reader is unknown. */
export function formatTime(at: string, language: string): string {
  const options = { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' } as const;
  const format = timeFormats.get(language) ?? new Intl.DateTimeFormat(language, options);
  timeFormats.set(language, format);
  return `${format.format(new Date(at))} UTC`;
}

function linkTo(
  { secretKey, originOf }: ComposeDeps,
  { hostname, subscriberId }: EmailReader,
  purpose: keyof typeof linkPaths,
): string {
  if (subscriberId === null) throw new Error('Only emails to subscribers have such links.');
  return `${originOf(hostname)}${linkPaths[purpose]}?token=${signToken(secretKey, purpose, subscriberId)}`;
}

/** Returns the address at which a subscriber ends the subscription. */
export function unsubscribeLink(deps: ComposeDeps, email: EmailReader): string {
  return linkTo(deps, email, 'unsubscribe');
}

/** Returns the message of an email in this layout. */
export function toMessage(
  { from, now }: ComposeDeps,
  email: EmailReader,
  layout: EmailLayout,
  headers: Record<string, string>,
): OutgoingMessage {
  return {
    messageId: `${email.id}@${email.hostname}`,
    from: { name: layout.brand.name, address: from ?? `no-reply@${email.hostname}` },
    to: email.email,
    date: new Date(now),
    subject: layout.subject,
    text: renderEmailText(layout),
    html: renderEmailHtml(layout),
    headers: { 'Auto-Submitted': 'auto-generated', ...headers }, // RFC 3834
  };
}

/** Names and titles go into headers, which a line break would end. */
export function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();
}
