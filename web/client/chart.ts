/**
 * Shows the response times where the visitor points, touches, or moves by keys, writes the times below a chart in the
 * viewer's zone, and shows another range without loading the page again.
 */
export {};

const hourMs = 3_600_000;
const dayHours = 24;
const plots = '[data-plot]';
/** The element that screen readers announce. Its attributes have the texts, with names in braces for figures. */
const region = document.querySelector<HTMLElement>('[data-announce]');
const texts = region?.dataset ?? {};
const locale = texts['locale'] ?? document.documentElement.lang;

const formatMs = new Intl.NumberFormat(locale, {
  ...{ style: 'unit', unit: 'millisecond', maximumFractionDigits: 0 },
});
const clock = { hour: '2-digit', minute: '2-digit' } as const;
const formatDay = new Intl.DateTimeFormat(locale, { dateStyle: 'full', timeZone: 'UTC' });
const formatHour = new Intl.DateTimeFormat(locale, {
  ...{ weekday: 'long', day: 'numeric', month: 'long', ...clock },
});
const formatClock = new Intl.DateTimeFormat(locale, clock);
const formatWeekday = new Intl.DateTimeFormat(locale, { weekday: 'short' });

const isRightToLeft = (element: Element): boolean => getComputedStyle(element).direction === 'rtl';

// --- Ticks ---

/** Moves the ticks of hours to round times of the viewer's zone, and writes them. */
function localiseTicks(root: ParentNode): void {
  for (const ticks of root.querySelectorAll<SVGElement>('[data-every]')) {
    const every = Number(ticks.dataset['every']);
    const hours = readSeries(ticks.closest<HTMLElement>(plots), 'average').length;
    const direction = document.documentElement.dir === 'rtl' ? -1 : 1;
    for (const tick of ticks.querySelectorAll('text')) moveTick(tick, every, (direction * 100) / hours);
  }
}

function moveTick(tick: SVGTextElement, every: number, percentPerHour: number): void {
  const at = Number(tick.dataset['hour']) * hourMs;
  const there = new Date(at);
  const hours = there.getHours() + there.getMinutes() / 60;
  // In local time: the day that the clocks change has an hour more or less.
  there.setHours(Math.ceil(hours / every - 0.5) * every, 0, 0, 0);
  const shift = (there.getTime() - at) / hourMs;
  const share = Number.parseFloat(tick.getAttribute('x') ?? '') + shift * percentPerHour;
  tick.textContent = (there.getHours() === 0 ? formatWeekday : formatClock).format(there);
  tick.setAttribute('x', `${share}%`);
  tick.setAttribute('text-anchor', share < 2 ? 'start' : share > 98 ? 'end' : 'middle');
  // Only those that are still below the chart.
  if (share < 0 || share > 100) tick.remove();
}

// --- Crosshair ---

type Kind = 'average' | 'p95';
const kinds: readonly Kind[] = ['average', 'p95'];

function readSeries(plot: HTMLElement | null, kind: Kind): string[] {
  return (plot?.dataset[kind] ?? '').split(',');
}

const cross = document.createElement('div');
cross.className = 'cross';
const dots = { average: document.createElement('i'), p95: document.createElement('i') };
for (const kind of kinds) dots[kind].className = kind;
cross.append(dots.p95, dots.average);
const tip = document.createElement('div');
tip.className = 'readout';
for (const element of [cross, tip]) {
  element.setAttribute('aria-hidden', 'true');
  element.hidden = true;
  document.body.append(element);
}

/** The step that the crosshair is on. */
let shown: { plot: HTMLElement; index: number } | undefined;

/** Returns when the step was, and a text for each figure that is known. */
function describeStep(plot: HTMLElement, index: number): { time: string; figures: [Kind | '', string][] } {
  const stepMs = Number(plot.dataset['step']) * hourMs;
  const at = (Number(plot.dataset['plot']) + index) * stepMs;
  const figures = kinds.flatMap((kind): [Kind, string][] => {
    const ms = readSeries(plot, kind)[index] ?? '';
    const text = texts[kind === 'p95' ? 'textP95' : 'textAverage'] ?? '{ms}';
    return ms === '' ? [] : [[kind, text.replace('{ms}', () => formatMs.format(Number(ms)))]];
  });
  return {
    time: stepMs < dayHours * hourMs ? formatHour.formatRange(at, at + stepMs) : formatDay.format(at),
    figures: figures.length > 0 ? figures : [['', texts['textUnmeasured'] ?? '']],
  };
}

/** Puts the crosshair on a step, and the tip above it, within the window. */
function showStep(plot: HTMLElement, index: number): void {
  const lines = plot.querySelector('.lines');
  if (lines === null) return;
  shown = { plot, index };
  const { time, figures } = describeStep(plot, index);
  const heading = document.createElement('b');
  heading.textContent = time;
  tip.replaceChildren(
    heading,
    ...figures.map(([kind, text]) => {
      const line = document.createElement('span');
      line.className = kind;
      line.textContent = text;
      return line;
    }),
  );
  tip.hidden = cross.hidden = false;
  const { left, top, width, height } = lines.getBoundingClientRect();
  const share = (index + 0.5) / readSeries(plot, 'average').length;
  const middle = left + width * (isRightToLeft(plot) ? 1 - share : share);
  for (const kind of kinds) {
    const ms = readSeries(plot, kind)[index] ?? '';
    dots[kind].hidden = ms === '';
    dots[kind].style.top = `${100 - (Number(ms) / Number(plot.dataset['top'])) * 100}%`;
  }
  place(cross, middle, top);
  cross.style.height = `${height}px`;
  const half = tip.offsetWidth / 2;
  place(tip, Math.max(half, Math.min(middle, document.documentElement.clientWidth - half)), top);
}

function place({ style }: HTMLElement, x: number, y: number): void {
  style.left = `${x + scrollX}px`;
  style.top = `${y + scrollY}px`;
}

function hide(): void {
  shown = undefined;
  tip.hidden = cross.hidden = true;
}

const findPlot = (target: EventTarget | null): HTMLElement | null =>
  target instanceof Element ? target.closest<HTMLElement>(plots) : null;

function onPointer({ target, clientX }: PointerEvent): void {
  // Visitors with low vision move onto the tip to read it (WCAG 2.2, 1.4.13).
  if (target instanceof Node && tip.contains(target)) return;
  const plot = findPlot(target);
  if (plot === null) {
    // A touch elsewhere hides the crosshair; with a mouse, the focused chart keeps it.
    if (shown !== undefined && shown.plot !== document.activeElement) hide();
    return;
  }
  const { left, width } = plot.getBoundingClientRect();
  const count = readSeries(plot, 'average').length;
  const share = (clientX - left) / width;
  const index = Math.floor((isRightToLeft(plot) ? 1 - share : share) * count);
  showStep(plot, Math.max(0, Math.min(index, count - 1)));
}

function onKey(event: KeyboardEvent): void {
  if (event.key === 'Escape') hide();
  const plot = findPlot(event.target);
  if (plot === null || event.ctrlKey || event.altKey || event.metaKey) return;
  const last = readSeries(plot, 'average').length - 1;
  const from = shown?.plot === plot ? shown.index : last;
  const forwards = isRightToLeft(plot) ? -1 : 1;
  const moves: Record<string, number> = {
    ArrowLeft: from - forwards,
    ArrowRight: from + forwards,
    PageUp: from - dayHours,
    PageDown: from + dayHours,
    Home: 0,
    End: last,
  };
  const to = moves[event.key];
  if (to === undefined) return;
  event.preventDefault();
  const index = Math.max(0, Math.min(to, last));
  showStep(plot, index);
  // The crosshair is visual; screen readers get the text elsewhere.
  const { time, figures } = describeStep(plot, index);
  if (region !== null) region.textContent = `${time}: ${figures.map(([, text]) => text).join(', ')}`;
}

// --- Ranges ---

const storedName = 'range';

/** Some browsers refuse storage, depending on their settings. */
function storeRange(range: string): void {
  try {
    sessionStorage.setItem(storedName, range);
  } catch {}
}

function readStoredRange(): string | null {
  try {
    return sessionStorage.getItem(storedName);
  } catch {
    return null;
  }
}

/** Gives the view the address with the range; the script that keeps the view up to date then loads it from there. */
function showRange(range: string): void {
  hide();
  storeRange(range);
  for (const chart of document.querySelectorAll<HTMLElement>('[data-chart]')) chart.ariaBusy = 'true';
  const url = new URL(location.href);
  url.searchParams.set('range', range);
  url.hash = '';
  history.replaceState(history.state, '', url);
  document.dispatchEvent(new Event('address'));
}

function onClick(event: MouseEvent): void {
  if (event.button !== 0 || event.ctrlKey || event.shiftKey || event.altKey || event.metaKey) return;
  const link =
    event.target instanceof Element ? event.target.closest<HTMLAnchorElement>('a[data-range]') : null;
  if (link === null) return;
  event.preventDefault();
  if (link.ariaCurrent === null) showRange(link.dataset['range'] ?? '');
}

/** The charts of a view show the range of this visit once the visitor unfolds one of them. */
function onToggle({ target }: Event): void {
  if (!(target instanceof HTMLDetailsElement) || !target.open) return;
  const range = readStoredRange();
  const isOther = target.querySelector('[data-chart]')?.getAttribute('data-chart') !== range;
  if (range !== null && isOther && target.querySelector(`[data-range="${CSS.escape(range)}"]`) !== null) {
    showRange(range);
  }
}

const asked = new URL(location.href).searchParams.get('range');
if (asked !== null) storeRange(asked);
localiseTicks(document);
document.addEventListener('view', (event) => {
  if (event instanceof CustomEvent && event.detail instanceof Element) localiseTicks(event.detail);
});
addEventListener('pointermove', onPointer);
addEventListener('pointerdown', onPointer);
addEventListener('keydown', onKey);
addEventListener('click', onClick);
addEventListener('toggle', onToggle, true);
addEventListener('focusin', ({ target }) => {
  const plot = findPlot(target);
  if (plot?.matches(':focus-visible')) showStep(plot, readSeries(plot, 'average').length - 1);
});
addEventListener('focusout', ({ target }) => {
  if (shown?.plot === target) hide();
});
addEventListener('resize', hide);
