import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

type FoldProps = {
  title: string;
  note: string;
  /** Opens it, such as for a field that is wrong. */
  isOpened: boolean;
  refusals: number;
  children: ComponentChildren;
};

/** Fields that most people leave as they are. */
export function Fold({ title, note, isOpened, refusals, children }: FoldProps) {
  const [isOpen, setOpen] = useState(isOpened);
  const ref = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    if (!isOpened) return;
    setOpen(true);
    // The form looks for the wrong field before the fold is open.
    requestAnimationFrame(() => ref.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
  }, [isOpened, refusals]);
  return (
    <details
      ref={ref}
      class="fold"
      open={isOpen}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary>
        {title} <span class="note">{note}</span>
      </summary>
      <div class="form">{children}</div>
    </details>
  );
}
