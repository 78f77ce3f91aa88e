import type { ComponentChildren } from 'preact';

export type Tone = 'good' | 'warn' | 'bad' | 'info' | 'none';

/** Every tone has a shape of its own beside its colour. */
const shapes: Readonly<Record<Tone, string>> = {
  good: 'M6 1.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9z',
  warn: 'M6 1 11 10.5H1z',
  bad: 'M1.5 1.5h9v9h-9z',
  info: 'M6 .5 11.5 6 6 11.5.5 6z',
  none: 'M1.5 5h9v2h-9z',
};

/** A state in a word. */
export function Badge({ tone, children }: { tone: Tone; children: ComponentChildren }) {
  return (
    <span class={`badge ${tone}`}>
      <svg viewBox="0 0 12 12" aria-hidden="true">
        <path d={shapes[tone]} />
      </svg>
      {children}
    </span>
  );
}
