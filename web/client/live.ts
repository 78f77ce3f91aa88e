/** What the page can do once scripts run. Without them it is complete, only less comfortable. */
import { showDetails } from './day-details.js';
import { localiseTimes } from './local-times.js';
import { updateElement } from './update-element.js';

const pollMs = 30_000;
const pollMsMax = 300_000;
const timeoutMs = 10_000;

/** Stays until the page goes: it is brought up to date, never replaced. */
const main = document.querySelector<HTMLElement>('main[data-live]');

/** Tells it to screen readers. */
function say(text: string): void {
  const region = document.querySelector('[data-announce]');
  if (region !== null) region.textContent = text;
}

/** What is told to screen readers when it changes: the overall sentence and each incident, by what they belong to. */
function readAnnouncements(root: Element): Map<string, string> {
  const overall = root.querySelector('[data-overall]')?.textContent ?? '';
  const incidents = [...root.querySelectorAll<HTMLElement>('[data-incident]')];
  return new Map([
    ['', overall],
    ...incidents.map(({ dataset }) => [dataset['incident'] ?? '', dataset['incidentText'] ?? ''] as const),
  ]);
}

function announce(before: Map<string, string>, after: Map<string, string>): void {
  const changes = [...after].filter(([key, text]) => text !== '' && before.get(key) !== text);
  if (changes.length > 0) say(changes.map(([, text]) => text).join('. '));
}

/** @throws Error when it is no page of this kind. */
function showPage(main: HTMLElement, page: Document): void {
  const fresh = page.querySelector('main[data-live]');
  if (fresh === null) throw new Error('The answer is another page.');
  if (addressOfScript(page) !== addressOfScript(document)) {
    location.reload();
    return;
  }
  const before = readAnnouncements(main);
  localiseTimes(fresh);
  updateElement(main, fresh);
  document.title = page.title;
  const after = readAnnouncements(main);
  announce(before, after);
  if (before.get('') !== after.get('')) refreshIcon();
}

/** Its version: markup that a new version draws needs that version's styles and scripts. */
function addressOfScript(page: Document): string | null | undefined {
  return page.querySelector('script[type=module]')?.getAttribute('src');
}

/** Browsers ask again for an icon only under another address. */
function refreshIcon(): void {
  const icon = document.querySelector<HTMLLinkElement>('link[rel=icon]');
  if (icon === null) return;
  const url = new URL(icon.href);
  url.searchParams.set('at', String(Date.now()));
  icon.href = url.href;
}

let lastTag: string | null = null;

/**
 * The page as it is now; undefined when it is as in the last answer. The browser asks with the entity tag of what it has.
 *
 * @throws Error without a good answer in time.
 */
async function fetchPage(): Promise<Document | undefined> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), timeoutMs);
  try {
    const response = await fetch(location.href, { cache: 'no-cache', signal: controller.signal });
    if (!response.ok) throw new Error(`The answer is ${response.status}.`);
    const text = await response.text();
    const tag = response.headers.get('etag');
    if (tag !== null && tag === lastTag) return undefined;
    lastTag = tag;
    return new DOMParser().parseFromString(text, 'text/html');
  } finally {
    clearTimeout(timer);
  }
}

/** Asks every half minute while somebody can see the page, and less often while that fails. */
function watchPage(main: HTMLElement): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let failures = 0;
  let dueAt = 0;
  let isAsking = false;

  const plan = (): void => {
    clearTimeout(timer);
    if (!document.hidden && !isAsking) timer = setTimeout(ask, Math.max(0, dueAt - Date.now()));
  };
  const planNext = (): void => {
    // Jitter, so that visitors whom an outage brought in together do not ask together.
    dueAt = Date.now() + Math.min(pollMs * 2 ** failures, pollMsMax) * (1 + Math.random() / 5);
    plan();
  };
  const ask = async (): Promise<void> => {
    isAsking = true;
    try {
      const page = await fetchPage();
      if (page !== undefined) showPage(main, page);
      failures = 0;
    } catch {
      // Away, or in trouble: what is shown stays.
      failures += 1;
    }
    isAsking = false;
    planNext();
  };

  document.addEventListener('visibilitychange', plan);
  addEventListener('online', () => {
    dueAt = 0;
    plan();
  });
  planNext();
}

localiseTimes(document);
showDetails(say);
if (main !== null) watchPage(main);
