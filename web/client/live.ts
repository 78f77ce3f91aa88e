/** Keeps an open view up to date, and writes its times in the viewer's zone or as how long ago they are. */
export {};

const pollMsMax = 300_000;
/** Visitors who ask for less traffic get the state less often. Not every browser has `connection`. */
const { connection } = navigator as { connection?: { saveData?: boolean } };
const pollMs = connection?.saveData === true ? pollMsMax : 30_000;
const timeoutMs = 10_000;
const tickMs = 10_000;
/** The first requests of a connection that is back often fail, such as on a phone that leaves a tunnel. */
const quickRetries = { count: 3, pauseMs: 1_000 };

/** This element is updated in place, and never replaced. */
const main = document.querySelector<HTMLElement>('main[data-live]');

/** The element that screen readers announce; its attributes have the texts. */
const region = document.querySelector<HTMLElement>('[data-announce]');
const locale = region?.dataset['locale'] ?? document.documentElement.lang;

const clock = { hour: '2-digit', minute: '2-digit' } as const;
const zone = { timeZoneName: 'short' } as const;
/** The forms that the server uses. */
const timeFormats: Record<string, Intl.DateTimeFormatOptions> = {
  datetime: { day: 'numeric', month: 'short', year: 'numeric', ...clock, ...zone },
  time: { ...clock, ...zone },
  day: { day: 'numeric', month: 'short', ...clock },
  clock,
};

/** Writes times in the viewer's zone, and keeps the text in the zone of the page as the title. */
function localiseTimes(root: ParentNode): void {
  for (const element of root.querySelectorAll<HTMLTimeElement>('time[data-local]')) {
    const at = Date.parse(element.dateTime);
    const options = timeFormats[formOf(element, at)];
    if (options === undefined || Number.isNaN(at)) continue;
    const text = new Intl.DateTimeFormat(locale, options).format(at);
    const isAgo = element.dataset['local'] === 'ago';
    element.title = isAgo ? text : element.textContent;
    element.textContent = (isAgo && describeAge(at)) || text;
  }
}

/**
 * A time after another of the same day of the page gets its day when the two are on different days for the viewer; a moment gets
 * it when it is not today.
 */
function formOf({ dataset }: HTMLElement, at: number): string {
  const { local = '', since } = dataset;
  const isOn = (day: number | string) => new Date(day).toDateString() === new Date(at).toDateString();
  if (local === 'ago') return 'datetime';
  if (local === 'moment') return isOn(Date.now()) ? 'clock' : 'day';
  return since === undefined || isOn(since) ? local : 'datetime';
}

const units = [
  ['second', 10_000, 60_000],
  ['minute', 60_000, 3_600_000],
  ['hour', 3_600_000, 86_400_000],
] as const;

/** Such as `12 minutes ago`; `undefined` for what is a day ago, or ahead because the viewer's clock is wrong. */
function describeAge(at: number): string | undefined {
  const age = Date.now() - at;
  const unit = units.find(([, , end]) => age < end);
  if (unit === undefined || age < -60_000) return undefined;
  const [name, stepMs] = unit;
  const steps = Math.max(1, Math.floor(age / stepMs));
  const count = name === 'second' ? steps * 10 : steps;
  return new Intl.RelativeTimeFormat(locale).format(-count, name);
}

/** Updates relative times while the view is visible. */
function tick(): void {
  if (document.hidden) return;
  for (const element of document.querySelectorAll<HTMLTimeElement>('time[data-local=ago]')) {
    const text = describeAge(Date.parse(element.dateTime)) ?? element.title;
    if (element.textContent !== text) element.textContent = text;
  }
}

/**
 * Makes an element equal to a fresh one with few changes: what stays the same keeps its focus, its caret, its input and
 * whether it is open. An element with an id is found by the id. The tip, which another script puts here, stays.
 */
function updateElement(old: Element, fresh: Element): void {
  if (old.isEqualNode(fresh)) return;
  // The visitor decides what is open, but what goes wrong opens.
  const isNewTrouble = fresh.matches('[data-trouble]') && !old.matches('[data-trouble]');
  const isKept = (name: string) => name === 'open' && old.localName === 'details' && !isNewTrouble;
  for (const name of old.getAttributeNames()) {
    if (!fresh.hasAttribute(name) && !isKept(name)) old.removeAttribute(name);
  }
  for (const name of fresh.getAttributeNames()) {
    const value = fresh.getAttribute(name) ?? '';
    if (old.getAttribute(name) !== value && !isKept(name)) old.setAttribute(name, value);
  }
  let next = skipTip(old.firstChild);
  for (const node of [...fresh.childNodes]) {
    let match = next;
    while (match !== null && !isSame(match, node)) match = skipTip(match.nextSibling);
    if (match === null) {
      old.insertBefore(node, next);
      continue;
    }
    while (next !== match) next = removeNode(next);
    next = skipTip(match.nextSibling);
    if (match instanceof Element && node instanceof Element) updateElement(match, node);
    else if (match.nodeValue !== node.nodeValue) match.nodeValue = node.nodeValue;
  }
  while (next !== null) next = removeNode(next);
}

function isSame(a: Node, b: Node): boolean {
  return a.nodeName === b.nodeName && (a as Partial<Element>).id === (b as Partial<Element>).id;
}

function skipTip(node: ChildNode | null): ChildNode | null {
  const isTip = node instanceof HTMLElement && node.dataset['tip'] !== undefined;
  return isTip ? node.nextSibling : node;
}

/** Removes a node and returns the one after it. */
function removeNode(node: ChildNode | null): ChildNode | null {
  const following = skipTip(node?.nextSibling ?? null);
  node?.remove();
  return following;
}

/** Texts that screen readers announce when they change: the overall sentence and each incident, by owner. */
function readAnnouncements(root: Element): Map<string, string> {
  const state = root.querySelector('[data-overall]')?.textContent ?? '';
  const overall = (region?.dataset['textChanged'] ?? '{state}').replace('{state}', () => state);
  const incidents = [...root.querySelectorAll<HTMLElement>('[data-incident]')];
  return new Map([
    ['', overall],
    ...incidents.map(({ dataset }) => [dataset['incident'] ?? '', dataset['incidentText'] ?? ''] as const),
  ]);
}

function announce(before: Map<string, string>, after: Map<string, string>): void {
  const changes = [...after].filter(([key, text]) => text !== '' && before.get(key) !== text);
  if (region === null || changes.length === 0) return;
  region.textContent = changes.map(([, text]) => text).join('. ');
}

/** @throws Error when the text is not a view of this kind */
function showPage(main: HTMLElement, page: Document): void {
  const fresh = page.querySelector('main[data-live]');
  if (fresh === null) throw new Error('The answer is another page.');
  if (addressOfScript(page) !== addressOfScript(document)) {
    location.reload();
    return;
  }
  const before = readAnnouncements(main);
  localiseTimes(fresh);
  // Other scripts make of the new view what they have made of this one, before the two are compared.
  document.dispatchEvent(new CustomEvent('view', { detail: fresh }));
  updateElement(main, fresh);
  document.title = page.title;
  const after = readAnnouncements(main);
  announce(before, after);
  if (before.get('') !== after.get('')) refreshIcon();
}

/** The version of a view: the markup of a new version needs the styles and scripts of that version. */
function addressOfScript(page: Document): string | null | undefined {
  return page.querySelector('script[type=module]')?.getAttribute('src');
}

/** Browsers load an icon again only from another address. */
function refreshIcon(): void {
  const icon = document.querySelector<HTMLLinkElement>('link[rel=icon]');
  if (icon === null) return;
  const url = new URL(icon.href);
  url.searchParams.set('at', String(Date.now()));
  icon.href = url.href;
}

let lastTag: string | null = null;

/**
 * Loads the current view; `undefined` when it equals the last answer. The browser sends the entity tag of what it has.
 *
 * @throws Error without a good answer in time
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

/** Asks every half minute while the view is visible, and less often while requests fail. */
function watchPage(main: HTMLElement): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let failures = 0;
  let quickRetriesLeft = 0;
  let dueAt = 0;
  let isAsking = false;
  let isWantedAgain = false;

  const plan = (): void => {
    clearTimeout(timer);
    if (!document.hidden && !isAsking) timer = setTimeout(ask, Math.max(0, dueAt - Date.now()));
  };
  const takesQuickRetry = (): boolean => failures > 0 && quickRetriesLeft-- > 0;
  const planNext = (): void => {
    // Jitter, so that visitors who arrive together in an outage do not ask together.
    const pauseMs = takesQuickRetry() ? quickRetries.pauseMs : Math.min(pollMs * 2 ** failures, pollMsMax);
    dueAt = Date.now() + pauseMs * (1 + Math.random() / 5);
    plan();
  };
  const ask = async (): Promise<void> => {
    isAsking = true;
    isWantedAgain = false;
    const { href } = location;
    try {
      const page = await fetchPage();
      if (page !== undefined && location.href === href) showPage(main, page);
      failures = 0;
      quickRetriesLeft = 0;
    } catch {
      // The network or the service is down: the view stays as it is.
      lastTag = null;
      failures += 1;
    }
    isAsking = false;
    if (location.href === href && !isWantedAgain) planNext();
    else askNow();
  };
  const askNow = (): void => {
    dueAt = 0;
    quickRetriesLeft = quickRetries.count;
    // The request that is open may have begun before the connection came back, and fail.
    isWantedAgain = isAsking;
    plan();
  };

  document.addEventListener('visibilitychange', plan);
  addEventListener('online', askNow);
  // Another script has changed the address of the view, and waits for what is there.
  document.addEventListener('address', () => {
    lastTag = null;
    askNow();
  });
  planNext();
}

localiseTimes(document);
setInterval(tick, tickMs);
document.addEventListener('visibilitychange', tick);
if (main !== null) watchPage(main);
