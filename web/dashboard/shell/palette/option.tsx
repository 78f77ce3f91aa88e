import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Icon } from '../../kit/icons.js';
import { useTexts } from '../../texts.js';
import { shellTexts } from '../texts.js';
import type { Command } from './commands.js';

type OptionProps = {
  id: string;
  command: Command;
  marks: readonly number[];
  isCurrent: boolean;
  onRun(): void;
};

/** One command of the palette. */
export function Option({ id, command, marks, isCurrent, onRun }: OptionProps) {
  const { kinds } = useTexts(shellTexts);
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isCurrent) ref.current?.scrollIntoView({ block: 'nearest' });
  }, [isCurrent]);
  const { title, detail, kind, icon = 'right', keys = [] } = command;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the focus and takes the keys.
    <div
      id={id}
      ref={ref}
      class="palette-option"
      role="option"
      tabIndex={-1}
      aria-selected={isCurrent}
      onClick={onRun}
    >
      <Icon name={icon} />
      <span class="palette-name" dir="auto">
        {withMarks(title, marks)}
      </span>
      {detail !== undefined && (
        <span class="note palette-detail" dir="auto">
          {detail}
        </span>
      )}
      <span class="note palette-kind">
        {keys.length > 0 ? (
          <span aria-hidden="true">
            {keys.map((key) => (
              <kbd key={key}>{key}</kbd>
            ))}
          </span>
        ) : (
          kinds[kind]
        )}
      </span>
    </div>
  );
}

/** The title with the found letters marked. */
function withMarks(title: string, marks: readonly number[]): ComponentChildren {
  if (marks.length === 0) return title;
  const parts: ComponentChildren[] = [];
  let end = 0;
  for (let i = 0; i < marks.length; ) {
    const start = marks[i] ?? 0;
    let next = start + 1;
    for (i += 1; marks[i] === next; i += 1) next += 1;
    parts.push(title.slice(end, start), <mark key={start}>{title.slice(start, next)}</mark>);
    end = next;
  }
  return [...parts, title.slice(end)];
}
