import type { RefObject } from 'preact';
import { useEffect } from 'preact/hooks';
import { useLocation } from 'preact-iso';

/** Parameters that change what is shown of a place, rather than the place. */
const viewParameters = ['from', 'to', 'compare', 'month', 'order', 'search'];

/** The title that was drawn last, and its place; nothing before the first one. */
const drawn: { place?: string; title?: HTMLElement | null } = {};

/**
 * Begins at the title after a link to another place, as a new document does: the window scrolls to the top, and the
 * title has the focus. A field or a choice within the place keeps the focus, and Back what the browser restores.
 */
export function usePlaceFocus(title: RefObject<HTMLElement | null>): void {
  // The types of the router leave `wasPush` out.
  const { path, query, wasPush } = useLocation() as ReturnType<typeof useLocation> & { wasPush: boolean };
  const place = placeOf(path, query);
  useEffect(() => {
    const before = { ...drawn };
    Object.assign(drawn, { place, title: title.current });
    if (before.place === undefined || (before.place === place && before.title === title.current)) return;
    if (!mayTakeFocus(before.place.split('?', 1)[0] === path)) return;
    if (before.place !== place && wasPush) scrollTo(0, 0);
    title.current?.focus({ preventScroll: true });
  }, [place]);
}

function placeOf(path: string, query: Readonly<Record<string, string>>): string {
  const kept = Object.entries(query).filter(
    ([name]) => !viewParameters.includes(name) && !/-(sort|find)$/.test(name),
  );
  return `${path}?${new URLSearchParams(kept)}`;
}

/** On the same path only a link, and an element that has gone, give the focus away. */
function mayTakeFocus(isSamePath: boolean): boolean {
  const { activeElement } = document;
  if (activeElement === null || activeElement === document.body) return true;
  if (activeElement.matches('input, textarea, select, [contenteditable="true"]')) return false;
  return !isSamePath || activeElement.matches('a');
}
