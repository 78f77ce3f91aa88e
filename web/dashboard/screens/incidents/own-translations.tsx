import { TextField } from '../../kit/form/field.js';
import { MarkdownField } from '../../kit/form/markdown-field.js';
import { useLanguageName } from '../../kit/language-name.js';
import { useEver } from '../../kit/use-ever.js';
import { useTexts } from '../../texts.js';
import { textCharsMax, titleCharsMax } from './limits.js';
import { ownTranslationTexts } from './own-translation-texts.js';

type FieldName = 'title' | 'summary' | 'body';

type OwnTranslationsProps<Name extends FieldName> = {
  fields: readonly Name[];
  /** Without the default one. */
  languages: readonly string[];
  values: Readonly<Record<string, Partial<Record<Name, string>>>>;
  onInput(language: string, field: Name, text: string): void;
};

/** Texts in the other languages of the page; nothing for a page with one. */
export function OwnTranslations<Name extends FieldName>(props: OwnTranslationsProps<Name>) {
  const { fields, languages, values, onInput } = props;
  const texts = useTexts(ownTranslationTexts);
  const nameOf = useLanguageName();
  const isFilled = Object.values(values).some((own) => fields.some((field) => (own[field] ?? '') !== ''));
  const isOpen = useEver(isFilled);
  if (languages.length === 0) return null;
  return (
    <details class="more-fields" open={isOpen}>
      <summary>{texts.title}</summary>
      <p class="note">{texts.why}</p>
      {languages.map((language) => (
        <div key={language} class="own-language">
          {fields.map((field) => {
            const entry = {
              label: texts.fields[field]({ language: nameOf(language) }),
              value: values[language]?.[field] ?? '',
              onInput: (text: string) => onInput(language, field, text),
            };
            return field === 'title' ? (
              <TextField
                key={field}
                {...entry}
                input={{ dir: 'auto', maxLength: titleCharsMax, autocomplete: 'off', class: 'wide' }}
              />
            ) : (
              <MarkdownField key={field} {...entry} rows={3} maxLength={textCharsMax} />
            );
          })}
        </div>
      ))}
    </details>
  );
}
