import { useRef } from 'preact/hooks';
import { useTexts } from '../../texts.js';
import { Icon, type IconName } from '../icons.js';
import { kitTexts } from '../texts.js';
import { AreaField } from './field.js';

type MarkdownFieldProps = {
  label: string;
  error?: string | undefined;
  value: string;
  onInput(value: string): void;
  rows?: number;
  maxLength: number;
  isReadOnly?: boolean;
};

/** The marks before and after the selected text. */
const marks = [
  { name: 'bold', before: '**', after: '**', key: 'b' },
  { name: 'italic', before: '*', after: '*', key: 'i' },
  { name: 'link', before: '[', after: '](https://)', key: 'k' },
  { name: 'list', before: '\n- ', after: '', key: undefined },
  { name: 'code', before: '`', after: '`', key: undefined },
] as const satisfies readonly { name: IconName; before: string; after: string; key: string | undefined }[];

/** A text in Markdown, with buttons for what people use most. Ctrl or ⌘ with B, I and K do the same. */
export function MarkdownField({ rows = 6, isReadOnly = false, ...props }: MarkdownFieldProps) {
  const texts = useTexts(kitTexts).markdown;
  const area = useRef<HTMLTextAreaElement>(null);
  const put = (mark: (typeof marks)[number]): void => {
    if (area.current !== null && !isReadOnly) wrapSelection(area.current, mark, props.onInput);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: takes the keys of the text inside.
    <div
      class="markdown-field"
      onKeyDown={(event) => {
        if (!event.ctrlKey && !event.metaKey) return;
        const mark = marks.find(({ key }) => key === event.key.toLowerCase());
        if (mark === undefined || event.target !== area.current) return;
        event.preventDefault();
        event.stopPropagation();
        put(mark);
      }}
    >
      {!isReadOnly && (
        <fieldset class="markdown-tools" aria-label={`${props.label}: Markdown`}>
          {marks.map((mark) => (
            <button
              key={mark.name}
              type="button"
              class="icon-button"
              title={texts[mark.name]}
              aria-label={texts[mark.name]}
              onClick={() => put(mark)}
            >
              <Icon name={mark.name} />
            </button>
          ))}
        </fieldset>
      )}
      <AreaField {...props} rows={rows} isReadOnly={isReadOnly} hint={texts.hint} areaRef={area} />
    </div>
  );
}

function wrapSelection(
  area: HTMLTextAreaElement,
  { before, after }: (typeof marks)[number],
  onInput: (value: string) => void,
): void {
  const { selectionStart, selectionEnd, value } = area;
  const selected = value.slice(selectionStart, selectionEnd);
  area.focus();
  const text = before + selected + after;
  // Only what this command inserts can be undone by Ctrl-Z; no other way of the platform keeps the history of a text area.
  if (!document.execCommand('insertText', false, text))
    area.setRangeText(text, selectionStart, selectionEnd, 'end');
  const at = selectionStart + before.length;
  area.setSelectionRange(at, at + selected.length);
  onInput(area.value);
}
