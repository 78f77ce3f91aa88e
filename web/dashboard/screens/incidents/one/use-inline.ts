import type { RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useIsKept } from '../../../kit/form/use-draft.js';

/** An editor that opens in the place of what it edits. */
export type Inline = {
  /** Around the text, its editor and the button, which has the class `opens`. */
  box: RefObject<HTMLDivElement | null>;
  isOpen: boolean;
  open(): void;
  close(): void;
};

/**
 * Opens and closes an editor. The focus goes into it, and back to the button. What was entered before a reload opens the
 * editor again.
 *
 * @param keptAs the name under which the form of the editor keeps what is entered
 */
export function useInline(keptAs: string): Inline {
  const box = useRef<HTMLDivElement>(null);
  const [isOpen, setOpen] = useState(useIsKept(keptAs));
  const before = useRef(isOpen);
  useLayoutEffect(() => {
    if (before.current === isOpen) return;
    before.current = isOpen;
    const wanted = isOpen ? 'textarea, input[type="text"]' : '.opens';
    box.current?.querySelector<HTMLElement>(wanted)?.focus();
  }, [isOpen]);
  return { box, isOpen, open: () => setOpen(true), close: () => setOpen(false) };
}
