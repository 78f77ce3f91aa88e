import { type AccentContrast, accentContrast } from '../../../../views/accent.js';
import { Field } from '../../../kit/form/field.js';
import { useTexts } from '../../../texts.js';
import { looksTexts } from './texts.js';

/** Whether a text is a colour of a page; those have six digits. */
export function isColour(text: string): boolean {
  return /^#[0-9a-f]{6}$/i.test(text.trim());
}

/** The colour of pages that have chosen none, in the light; the picker has no empty value. */
const usual = '#2f4bc9';

type ColourProps = { value: string; onInput(value: string): void; error: string | undefined };

/** The colour of a page, and whether texts in it can be read in light and dark. */
export function ColourField({ value, onInput, error }: ColourProps) {
  const texts = useTexts(looksTexts);
  const contrast = accentContrast(value.trim());
  return (
    <div class="colour">
      <Field label={texts.accent} hint={texts.accentWhy} error={error}>
        {(input) => (
          <span class="colour-input">
            <input
              type="color"
              aria-label={texts.pick}
              value={isColour(value) ? value.trim() : usual}
              onInput={({ currentTarget }) => onInput(currentTarget.value)}
            />
            <input
              {...input}
              type="text"
              value={value}
              placeholder={usual}
              autocomplete="off"
              spellcheck={false}
              maxLength={7}
              onInput={({ currentTarget }) => onInput(currentTarget.value)}
            />
            {value !== '' && (
              <button type="button" class="link-button" onClick={() => onInput('')}>
                {texts.usualColour}
              </button>
            )}
          </span>
        )}
      </Field>
      {contrast !== undefined && (
        <ul class="contrasts" aria-label={texts.contrast}>
          <Contrast theme="light" contrast={contrast.light} />
          <Contrast theme="dark" contrast={contrast.dark} />
        </ul>
      )}
      {contrast?.light.passes === false && (
        <button type="button" class="button small" onClick={() => onInput(contrast.light.shown)}>
          <span class="swatch" style={{ backgroundColor: contrast.light.shown }} />
          {texts.take({ colour: contrast.light.shown })}
        </button>
      )}
      <p class="visually-hidden" role="status">
        {contrast?.light.passes === false && texts.failsLight({ colour: contrast.light.shown })}
      </p>
    </div>
  );
}

type ContrastProps = { theme: 'light' | 'dark'; contrast: AccentContrast };

function Contrast({ theme, contrast: { ratio, passes, shown } }: ContrastProps) {
  const texts = useTexts(looksTexts);
  const figure = `${ratio.toFixed(1)} : 1`;
  return (
    <li class={passes ? 'passes' : theme === 'light' ? 'fails' : 'mended'}>
      <span class={`contrast-sample ${theme}`} style={{ color: shown }} aria-hidden="true">
        Aa
      </span>
      <span>
        <strong>{texts.themes[theme]}</strong> <span class="note">{figure}</span>
        <br />
        {passes ? texts.passes : texts.mended[theme]({ colour: shown })}
      </span>
    </li>
  );
}
