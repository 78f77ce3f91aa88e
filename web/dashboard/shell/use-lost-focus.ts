import { useEffect } from 'preact/hooks';

/**
 * When the element with the focus goes away, such as a button in the row of what was deleted, the title of the part that it stood
 * in gets the focus: with the keyboard, people go on from there, and not from the top of the document.
 */
export function useLostFocus(): void {
  useEffect(() => {
    let trail: Element[] = [];
    const follow = ({ target }: FocusEvent): void => {
      trail = target instanceof Element ? [target, ...ancestorsOf(target)] : [];
    };
    const recover = (): void => {
      if (document.activeElement !== document.body || trail[0]?.isConnected !== false) return;
      const left = trail.find((element) => element.isConnected);
      trail = [];
      titleNear(left)?.focus({ preventScroll: true });
    };
    // Whoever removes the element may place the focus within the same drawing, and comes first.
    const observer = new MutationObserver(() => {
      if (trail[0]?.isConnected === false) requestAnimationFrame(recover);
    });
    observer.observe(document.body, { childList: true, subtree: true });
    document.addEventListener('focusin', follow);
    return () => {
      observer.disconnect();
      document.removeEventListener('focusin', follow);
    };
  }, []);
}

/** From the parent outward. */
function ancestorsOf(element: Element): Element[] {
  const parent = element.parentElement;
  return parent === null ? [] : [parent, ...ancestorsOf(parent)];
}

/** The title of the panel around an element, or of the screen. */
function titleNear(element: Element | undefined): HTMLElement | null {
  const title =
    element?.closest('section, dialog')?.querySelector<HTMLElement>('h2') ??
    document.querySelector<HTMLElement>('main h1');
  if (title !== null) title.tabIndex = -1;
  return title;
}
