import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';

type MenuProps = {
  /** Text of the button for screen readers, where `button` is only an icon. */
  label: string;
  button: ComponentChildren;
  class?: string;
  /** `end` for a button at the end of a line. */
  align?: 'start' | 'end';
  /** `close` closes the menu after a choice. */
  children(close: () => void): ComponentChildren;
};

/** A button that opens a box below it. Escape, a click elsewhere and leaving it by Tab close it. */
export function Menu({ label, button, class: name = 'menu-button', align = 'start', children }: MenuProps) {
  const [isOpen, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const opener = useRef<HTMLButtonElement>(null);
  const id = useId();
  const close = (): void => {
    setOpen(false);
    opener.current?.focus();
  };
  useEffect(() => {
    if (!isOpen) return;
    const onPointer = ({ target }: Event): void => {
      if (target instanceof Node && !root.current?.contains(target)) setOpen(false);
    };
    document.addEventListener('pointerdown', onPointer);
    document.addEventListener('focusin', onPointer);
    return () => {
      document.removeEventListener('pointerdown', onPointer);
      document.removeEventListener('focusin', onPointer);
    };
  }, [isOpen]);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: takes Escape from everything inside.
    <div
      class={`menu ${align}`}
      ref={root}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !isOpen) return;
        event.stopPropagation();
        close();
      }}
    >
      <button
        type="button"
        class={name}
        ref={opener}
        aria-label={label}
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
      >
        {button}
      </button>
      <div id={id} class="menu-box" hidden={!isOpen}>
        {isOpen && children(close)}
      </div>
    </div>
  );
}
