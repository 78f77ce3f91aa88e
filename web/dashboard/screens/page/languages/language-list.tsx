import { useRef, useState } from 'preact/hooks';
import { Badge } from '../../../kit/badge.js';
import { Field } from '../../../kit/form/field.js';
import { Icon } from '../../../kit/icons.js';
import { useLanguageName } from '../../../kit/language-name.js';
import { useTexts } from '../../../texts.js';
import { languagesTexts } from './texts.js';

type ListProps = {
  languages: readonly string[];
  defaultLanguage: string;
  onChange(languages: string[]): void;
  onDefault(language: string): void;
};

/** The languages in the order in which the page offers them. */
export function LanguageList({ languages, defaultLanguage, onChange, onDefault }: ListProps) {
  const texts = useTexts(languagesTexts);
  const nameOf = useLanguageName();
  const next = useRef<HTMLInputElement>(null);
  return (
    <>
      <ul class="language-list" aria-label={texts.list}>
        {languages.map((tag) => (
          <li key={tag}>
            <span>
              {nameOf(tag)} <span class="note">{tag}</span>
            </span>
            {tag === defaultLanguage ? (
              <Badge tone="info">{texts.isDefault}</Badge>
            ) : (
              <span class="link-buttons">
                <button type="button" class="link-button" onClick={() => onDefault(tag)}>
                  {texts.makeDefault({ name: nameOf(tag) })}
                </button>
                <button
                  type="button"
                  class="icon-button"
                  aria-label={texts.remove({ name: nameOf(tag) })}
                  onClick={() => {
                    onChange(languages.filter((one) => one !== tag));
                    next.current?.focus();
                  }}
                >
                  <Icon name="trash" />
                </button>
              </span>
            )}
          </li>
        ))}
      </ul>
      <AddLanguage languages={languages} onChange={onChange} inputRef={next} />
    </>
  );
}

type AddProps = Pick<ListProps, 'languages' | 'onChange'> & {
  inputRef: { current: HTMLInputElement | null };
};

function AddLanguage({ languages, onChange, inputRef }: AddProps) {
  const texts = useTexts(languagesTexts);
  const nameOf = useLanguageName();
  const [tag, setTag] = useState('');
  const [problem, setProblem] = useState<string>();
  const add = (): void => {
    const found = canonical(tag);
    const wrong = found === undefined ? texts.noTag : languages.includes(found) ? texts.known : undefined;
    setProblem(wrong);
    if (found === undefined || wrong !== undefined) return;
    onChange([...languages, found]);
    setTag('');
  };
  const guess = canonical(tag);
  return (
    <Field
      label={texts.add}
      hint={guess !== undefined && nameOf(guess) !== guess ? nameOf(guess) : texts.addWhy}
      error={problem}
    >
      {(input) => (
        <span class="add-language">
          <input
            {...input}
            ref={inputRef}
            type="text"
            value={tag}
            autocomplete="off"
            spellcheck={false}
            maxLength={35}
            onInput={({ currentTarget }) => {
              setTag(currentTarget.value);
              setProblem(undefined);
            }}
            onKeyDown={(event) => {
              if (event.key !== 'Enter' || tag === '') return;
              // The form would be sent.
              event.preventDefault();
              add();
            }}
          />
          <button type="button" class="button small" onClick={add}>
            {texts.addButton}
          </button>
        </span>
      )}
    </Field>
  );
}

/** The canonical form of a tag; `undefined` for what is none. */
function canonical(text: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(text.trim())[0];
  } catch {
    return undefined;
  }
}
