import { contactWayLimits } from '../../contract/manage/contact-ways.js';

/** `link` is absent for a message that asks for nothing, such as a code. */
type PhoneMessage = { page: string; title: string; text: string; link?: string | undefined };

/**
 * Returns a text message of at most 160 characters: the page, the title and the link, and as much of the text as there is
 * room for. The link is whole, or left out where it would leave fewer than 40 characters for the rest; so is every link
 * within the texts.
 */
export function smsText({ link, ...message }: PhoneMessage): string {
  const most = contactWayLimits.smsChars;
  const words = joined(message, ' - ');
  if (link === undefined || link.length + 1 + wordsCharsMin > most) return cutWords(words, most);
  return `${cutWords(words, most - link.length - 1)} ${link}`;
}

const wordsCharsMin = 40;

/** Returns what a call reads aloud. Nobody can follow a link that is read to them. */
export function spokenText(message: PhoneMessage): string {
  const words = joined(message, '. ').replaceAll(links, '').replaceAll(/ {2,}/g, ' ');
  return cutWords(words.trim(), contactWayLimits.spokenChars);
}

const links = /https?:\/\/\S+/g;

function joined({ page, title, text }: PhoneMessage, between: string): string {
  return [`${page}: ${title}`, text]
    .map((part) => part.replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim())
    .filter((part) => part !== '')
    .join(between);
}

/**
 * Cuts a text to at most `chars` UTF-16 units, with an ellipsis of three dots: the single character for it is not in the
 * alphabet of text messages, and would halve the room in one.
 */
function cutWords(text: string, chars: number): string {
  if (text.length <= chars) return text;
  const most = chars - 1 - ellipsis.length;
  const broken = [...text.matchAll(links)].find(
    ({ index, 0: url }) => index < most && index + url.length > most,
  );
  const cut = text.slice(0, broken?.index ?? most).replace(/[\uD800-\uDBFF]$/, '');
  const space = cut.search(/\s\S*$/);
  // A text without spaces, as Japanese is, is cut where the room ends.
  const isNear = broken === undefined && space > most - nearChars;
  const kept = (isNear ? cut.slice(0, space) : cut).trimEnd();
  // Dots behind a link would lead elsewhere.
  return /https?:\/\/\S+$/.test(kept) ? `${kept} ${ellipsis}` : `${kept}${ellipsis}`;
}

const ellipsis = '...';
const nearChars = 20;
