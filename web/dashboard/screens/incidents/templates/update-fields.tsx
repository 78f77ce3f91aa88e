import { useLayoutEffect, useRef } from 'preact/hooks';
import { SelectField } from '../../../kit/form/choices.js';
import { MarkdownField } from '../../../kit/form/markdown-field.js';
import { Icon } from '../../../kit/icons.js';
import { useLanguageName } from '../../../kit/language-name.js';
import { useTexts } from '../../../texts.js';
import { statuses, textCharsMax } from '../limits.js';
import { templatesTexts } from './texts.js';
import type { UpdateValues } from './values.js';

const updatesMax = 20;

type UpdatesProps = {
  updates: readonly UpdateValues[];
  languages: readonly string[];
  isReadOnly: boolean;
  onChange(updates: UpdateValues[]): void;
};

/** The updates that usually follow; buttons move and remove them. */
export function UpdateFields({ updates, languages, isReadOnly, onChange }: UpdatesProps) {
  const texts = useTexts(templatesTexts);
  const add = useRef<HTMLButtonElement>(null);
  const list = useRef<HTMLOListElement>(null);
  const focusAt = useRef<string | undefined>(undefined);
  useLayoutEffect(() => {
    if (focusAt.current === undefined) return;
    list.current?.querySelector<HTMLElement>(focusAt.current)?.focus();
    focusAt.current = undefined;
  });
  /** The focus moves along; at an end, that button can no longer be pressed. */
  const move = (at: number, to: number): void => {
    const isEnd = to === 0 || to === updates.length - 1;
    const which = isEnd ? '[aria-disabled="false"]' : `.move-${to < at ? 'up' : 'down'}`;
    focusAt.current = `.template-update:nth-child(${to + 1}) .template-moves ${which}`;
    onChange(swapped(updates, Math.min(at, to)));
  };
  const usual = updates.length === 0 ? 'identified' : 'resolved';
  return (
    <fieldset class="template-part">
      <legend>{texts.updates}</legend>
      <p class="note">{texts.updatesWhy}</p>
      <ol class="template-updates" ref={list}>
        {updates.map((update, i) => (
          <OneUpdate
            key={i}
            {...{ update, languages, isReadOnly }}
            name={texts.update({ number: String(i + 1) })}
            onChange={(changed) => onChange(updates.with(i, changed))}
            onUp={i === 0 ? undefined : () => move(i, i - 1)}
            onDown={i === updates.length - 1 ? undefined : () => move(i, i + 1)}
            onRemove={() => {
              onChange(updates.toSpliced(i, 1));
              add.current?.focus();
            }}
          />
        ))}
      </ol>
      {!isReadOnly && updates.length < updatesMax && (
        <div>
          <button
            ref={add}
            type="button"
            class="button small"
            onClick={() => onChange([...updates, { status: usual, body: '', texts: {} }])}
          >
            <Icon name="plus" />
            {texts.addUpdate}
          </button>
        </div>
      )}
    </fieldset>
  );
}

/** The one at the place and the one behind it in the place of each other. */
function swapped(updates: readonly UpdateValues[], at: number): UpdateValues[] {
  const [first, second] = updates.slice(at, at + 2);
  if (first === undefined || second === undefined) return [...updates];
  return updates.toSpliced(at, 2, second, first);
}

type UpdateProps = {
  update: UpdateValues;
  name: string;
  languages: readonly string[];
  isReadOnly: boolean;
  onChange(update: UpdateValues): void;
  onUp: (() => void) | undefined;
  onDown: (() => void) | undefined;
  onRemove(): void;
};

function OneUpdate({ update, name, languages, isReadOnly, onChange, ...moves }: UpdateProps) {
  const texts = useTexts(templatesTexts);
  const nameOf = useLanguageName();
  const translate = (language: string) => (text: string) => {
    const { [language]: _, ...others } = update.texts;
    onChange({ ...update, texts: text === '' ? others : { ...others, [language]: text } });
  };
  return (
    <li class="template-update">
      <div class="template-update-head">
        <SelectField
          label={`${name}: ${texts.status}`}
          options={statuses.map((value) => ({ value, title: texts.statuses[value] }))}
          value={update.status}
          onChoose={(status) => onChange({ ...update, status })}
        />
        {!isReadOnly && <Moves name={name} {...moves} />}
      </div>
      <MarkdownField
        label={name}
        value={update.body}
        onInput={(body) => onChange({ ...update, body })}
        rows={3}
        maxLength={textCharsMax}
        isReadOnly={isReadOnly}
      />
      {languages.map((language) => (
        <MarkdownField
          key={language}
          label={texts.updateIn({ update: name, language: nameOf(language) })}
          value={update.texts[language] ?? ''}
          onInput={translate(language)}
          rows={2}
          maxLength={textCharsMax}
          isReadOnly={isReadOnly}
        />
      ))}
    </li>
  );
}

function Moves({ name, onUp, onDown, onRemove }: Pick<UpdateProps, 'name' | 'onUp' | 'onDown' | 'onRemove'>) {
  const texts = useTexts(templatesTexts);
  const moves = [
    { icon: 'up', label: texts.moveUp({ update: name }), run: onUp },
    { icon: 'down', label: texts.moveDown({ update: name }), run: onDown },
    { icon: 'trash', label: texts.removeUpdate({ update: name }), run: onRemove },
  ] as const;
  return (
    <div class="template-moves">
      {moves.map(({ icon, label, run }) => (
        <button
          key={icon}
          type="button"
          class={`icon-button move-${icon}`}
          title={label}
          aria-label={label}
          aria-disabled={run === undefined}
          onClick={() => run?.()}
        >
          <Icon name={icon} />
        </button>
      ))}
    </div>
  );
}
