import { useLayoutEffect, useRef } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { useAddress } from '../address/use-address.js';
import { keep, readKept } from '../kit/kept.js';
import { useMay } from '../session.js';
import { pathOfScreen, screensOf } from './screens.js';

type Shortcuts = {
  /** The page to whose screens `g` and a letter go. */
  slug: string | undefined;
  open(what: 'palette' | 'shortcuts'): void;
};

/** Time between `g` and the letter. */
const sequenceMsMax = 1_500;

/** The keys that work on every screen: Ctrl-K or ⌘K, `?`, and `g` followed by the letter of a screen. */
export function useShortcuts({ slug, open }: Shortcuts): void {
  const { route } = useLocation();
  const { to } = useAddress();
  const goTo = useRef(to);
  goTo.current = to;
  const may = useMay(slug);
  // Before the first paint: keys count as soon as somebody sees the screen.
  useLayoutEffect(() => {
    let wentAt = Number.NEGATIVE_INFINITY;
    const onKey = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey)) {
        event.preventDefault();
        open('palette');
      }
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event) || !hasSingleKeys()) return;
      if (event.key === '?') open('shortcuts');
      const screen = screensOf(may).find(({ letter }) => letter === event.key);
      const isSecond = event.timeStamp - wentAt < sequenceMsMax;
      wentAt = event.key === 'g' ? event.timeStamp : Number.NEGATIVE_INFINITY;
      if (isSecond && screen !== undefined && slug !== undefined)
        route(goTo.current(pathOfScreen(slug, screen.name)));
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [slug, open, route, may]);
}

const singleKeysKey = 'heartline-single-keys';

/** Whether keys without Ctrl or ⌘ are shortcuts; people who speak to their computer turn them off (WCAG 2.1.4). */
export function hasSingleKeys(): boolean {
  return readKept(singleKeysKey) !== 'no';
}

/** Turns the shortcuts of single keys on or off in this browser. */
export function keepSingleKeys(isOn: boolean): void {
  keep(singleKeysKey, isOn ? undefined : 'no');
}

/** Keys that go into a field are text. The path of the event has the field inside a shadow root. */
function isTyping(event: KeyboardEvent): boolean {
  const [target] = event.composedPath();
  if (document.querySelector('dialog[open]') !== null) return true;
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName))
  );
}

/** Whether shortcuts go with the command key. */
export function isMac(): boolean {
  return /Mac|iPhone|iPad/.test(navigator.userAgent);
}
