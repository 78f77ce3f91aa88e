import type { ComponentChildren } from 'preact';
import { Badge, type Tone } from '../../kit/badge.js';

type RowProps = { tone: Tone; kind: string; children: ComponentChildren };

/** One thing that is wrong. */
export function Row({ tone, kind, children }: RowProps) {
  return (
    <li class={`attention-row ${tone}`}>
      <Badge tone={tone}>{kind}</Badge>
      <div class="attention-what">{children}</div>
    </li>
  );
}
