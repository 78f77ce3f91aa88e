import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

type SettingProps = { title: string; note: string; children: ComponentChildren };

/** A part of the account: what it is at the side, and what can be done in a card. */
export function Setting({ title, note, children }: SettingProps) {
  const id = useId();
  return (
    <section class="setting" aria-labelledby={id}>
      <header>
        <h2 id={id}>{title}</h2>
        <p class="note">{note}</p>
      </header>
      <div class="setting-card">{children}</div>
    </section>
  );
}
