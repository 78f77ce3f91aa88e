import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

type PanelProps = {
  title: string;
  /** One sentence below the title. */
  note?: ComponentChildren;
  /** Buttons and choices beside the title. */
  actions?: ComponentChildren;
  /** The content reaches the edges, as tables do. */
  flush?: boolean;
  children: ComponentChildren;
};

/** A card with a title: the unit of every screen. */
export function Panel({ title, note, actions, flush = false, children }: PanelProps) {
  const id = useId();
  return (
    <section class={flush ? 'panel flush' : 'panel'} aria-labelledby={id}>
      <header class="panel-head">
        <div>
          <h2 id={id}>{title}</h2>
          {note !== undefined && <p class="note">{note}</p>}
        </div>
        {actions !== undefined && <div class="panel-actions">{actions}</div>}
      </header>
      <div class="panel-body">{children}</div>
    </section>
  );
}
