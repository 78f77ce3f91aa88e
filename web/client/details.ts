/**
 * Shows the details of a day where the visitor points, touches, or moves by keys. Every drawing has one column of equal
 * width per day, from the day in `data-from` on, and as many columns as `data-columns` says, or as there are days.
 */
export {};

const dayMs = 86_400_000;
const columns = '[data-from]';
const linksMax = 5;
/** A finger covers about this much on each side of the point that it touches: 44 px together. */
const touchPx = 22;
/** Space between the tip and the edge of the window. */
const edge = 8;
const tip = document.querySelector<HTMLElement>('[data-tip]');
/** The element that screen readers announce. Its attributes have the texts, with names in braces for figures. */
const region = document.querySelector<HTMLElement>('[data-announce]');
const texts = region?.dataset ?? {};
const locale = texts['locale'] ?? document.documentElement.lang;

/** The column that the tip is on. */
let shown: { element: HTMLElement; index: number } | undefined;
/** Whether the pointer was last pressed on the tip. Some browsers take the focus away then, and give it to nothing. */
let isTipPressed = false;

function formatNumber(value: number, options: Intl.NumberFormatOptions): string {
  return new Intl.NumberFormat(locale, options).format(value);
}

/** Such as `2 hours, 5 minutes`. */
function formatMinutes(minutes: number): string {
  const parts: [number, string][] = [
    [Math.floor(minutes / 60), 'hour'],
    [minutes % 60, 'minute'],
  ];
  return parts
    .filter(([value]) => value > 0)
    .map(([value, unit]) => formatNumber(value, { style: 'unit', unit, unitDisplay: 'long' }))
    .join(', ');
}

/** Parses a day of the bars: empty, `-`, or its minutes down, failed checks in percent and minutes degraded. */
function describeMark(mark: string): string {
  if (mark === '') return texts['textGood'] ?? '';
  if (mark === '-') return texts['textUnmeasured'] ?? '';
  const [minutes = 0, percent = 0, degraded = 0] = mark.split('/').map(Number);
  const rate = formatNumber(percent / 100, { style: 'percent', maximumFractionDigits: 2 });
  const parts = [
    minutes > 0 && texts['textDown']?.replace('{duration}', () => formatMinutes(minutes)),
    degraded > 0 && texts['textDegraded']?.replace('{duration}', () => formatMinutes(degraded)),
    percent > 0 && texts['textFailed']?.replace('{rate}', () => rate),
  ];
  return parts.filter((part) => typeof part === 'string').join(' · ');
}

function describeColumn({ dataset }: HTMLElement, index: number): [day: string, text: string] {
  const { from = '', days = '' } = dataset;
  const at = Date.parse(from) + index * dayMs;
  const day = new Intl.DateTimeFormat(locale, { dateStyle: 'full', timeZone: 'UTC' }).format(at);
  return [day, describeMark(days.split(',')[index] ?? '')];
}

const countDays = ({ dataset }: HTMLElement): number => (dataset['days'] ?? '').split(',').length;

/** The days of a young page leave room for those to come. */
const countColumns = (element: HTMLElement): number =>
  Number(element.dataset['columns'] ?? countDays(element));

const isRightToLeft = (element: Element): boolean => getComputedStyle(element).direction === 'rtl';

/** Links to the incidents of a day, as copies of those in the list of the page. */
function linksOf({ dataset }: HTMLElement, index: number): Node[] {
  const placed = (dataset['incidents'] ?? '').split(',').map((text) => text.split(/[:-]/).map(Number));
  const list = document.querySelectorAll('[data-day-incidents] a');
  return placed
    .filter(([, from = Number.NaN, to = from]) => index >= from && index <= to)
    .slice(0, linksMax)
    .flatMap(([place = -1]) => list[place]?.cloneNode(true) ?? []);
}

/** Puts the tip over a column, within the window. */
function showTip(element: HTMLElement, index: number): void {
  if (tip === null || (shown?.element === element && shown.index === index)) return;
  shown = { element, index };
  const [day, text] = describeColumn(element, index);
  const strong = document.createElement('b');
  strong.textContent = day;
  tip.replaceChildren(strong, ` ${text}`);
  for (const link of linksOf(element, index)) tip.append(' ', link);
  // The next stop of the Tab key.
  if (tip.previousElementSibling !== element) element.after(tip);
  tip.hidden = false;
  placeTip(tip, element, index);
}

function placeTip(tip: HTMLElement, element: HTMLElement, index: number): void {
  const { left, top, bottom, width } = element.getBoundingClientRect();
  const share = (index + 0.5) / countColumns(element);
  const middle = left + width * (isRightToLeft(element) ? 1 - share : share);
  const half = tip.offsetWidth / 2;
  const { clientWidth } = document.documentElement;
  const x = Math.max(half + edge, Math.min(middle, clientWidth - half - edge));
  const isBelow = top < tip.offsetHeight + 2 * edge;
  tip.classList.toggle('below', isBelow);
  tip.style.left = `${x + scrollX}px`;
  tip.style.top = `${(isBelow ? bottom : top) + scrollY}px`;
}

function hideTip(): void {
  shown = undefined;
  if (tip !== null) tip.hidden = true;
}

function findColumns(target: EventTarget | null): HTMLElement | null {
  return target instanceof Element ? target.closest<HTMLElement>(columns) : null;
}

const isInTip = (target: EventTarget | null): boolean =>
  target instanceof Node && tip?.contains(target) === true;

function onPointer({ type, target, clientX, pointerType }: PointerEvent): void {
  if (type === 'pointerdown') isTipPressed = isInTip(target);
  // Visitors move onto the tip to read it (WCAG 2.2, 1.4.13) and to follow its links.
  if (isInTip(target)) return;
  const element = findColumns(target);
  if (element === null) {
    // A touch elsewhere hides the tip; with a mouse, the focused drawing keeps it.
    if (shown !== undefined && shown.element !== document.activeElement) hideTip();
    return;
  }
  const { left, width } = element.getBoundingClientRect();
  const count = countColumns(element);
  const share = (clientX - left) / width;
  const exact = (isRightToLeft(element) ? 1 - share : share) * count - 0.5;
  const isTap = type === 'pointerdown' && pointerType === 'touch';
  const index =
    (isTap ? nearestMarked(element, exact, (touchPx * count) / width) : undefined) ?? Math.round(exact);
  showTip(element, Math.max(0, Math.min(index, countDays(element) - 1)));
}

/** The day with a problem or an incident that is nearest to a finger, if one is within its reach. */
function nearestMarked(element: HTMLElement, exact: number, reach: number): number | undefined {
  const marks = (element.dataset['days'] ?? '').split(',');
  const isMarked = (mark: string, index: number) => /\d/.test(mark) || linksOf(element, index).length > 0;
  const marked = marks.flatMap((mark, index) =>
    Math.abs(index - exact) <= reach && isMarked(mark, index) ? [index] : [],
  );
  return marked.sort((a, b) => Math.abs(a - exact) - Math.abs(b - exact))[0];
}

/** The column that a key leads to from a column; `undefined` for any other key. */
function moveByKey(key: string, from: number, last: number, element: Element): number | undefined {
  const forwards = isRightToLeft(element) ? -1 : 1;
  const moves: Record<string, number> = {
    ArrowLeft: from - forwards,
    ArrowRight: from + forwards,
    Home: 0,
    End: last,
  };
  const to = moves[key];
  return to === undefined ? undefined : Math.max(0, Math.min(to, last));
}

/** Returns whether the key moved the tip. */
function onKey(event: KeyboardEvent): boolean {
  if (event.key === 'Escape') {
    if (isInTip(event.target)) shown?.element.focus();
    hideTip();
  }
  const element = findColumns(event.target);
  if (element === null || event.ctrlKey || event.altKey || event.metaKey) return false;
  const last = countDays(element) - 1;
  const from = shown?.element === element ? shown.index : last;
  const to = moveByKey(event.key, from, last, element);
  if (to === undefined) return false;
  event.preventDefault();
  showTip(element, to);
  return true;
}

addEventListener('pointermove', onPointer);
addEventListener('pointerdown', onPointer);
addEventListener('keydown', (event) => {
  // The tip is visual; screen readers get the text elsewhere.
  if (onKey(event) && region !== null && tip !== null) region.textContent = tip.textContent;
});
addEventListener('focusin', ({ target }) => {
  const element = findColumns(target);
  if (element?.matches(':focus-visible')) showTip(element, countDays(element) - 1);
});
addEventListener('focusout', ({ relatedTarget }) => {
  if (relatedTarget === null ? !isTipPressed : !isInTip(relatedTarget) && relatedTarget !== shown?.element) {
    hideTip();
  }
});
addEventListener('resize', hideTip);
