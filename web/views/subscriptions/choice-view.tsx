import type { PageBrand } from '../../../contract/public/status-page.js';
import type { ChoiceTexts } from '../../texts/areas.js';
import { nameOfLanguage } from '../../texts/format.js';
import { textsOf } from '../../texts/texts-of.js';
import { ChoiceFields, type ChoosableGroup, choiceStyle } from './choice-fields.js';
import { renderDocument, styleFor } from './subscription-view.js';

export type ChoiceViewContent = {
  brand: PageBrand;
  /** The BCP 47 tag of the reader's language. */
  language: string;
  groups: readonly ChoosableGroup[];
  /** The choice; `null` for everything. */
  chosen: { services: readonly string[]; groups: readonly string[] } | null;
  reminders: boolean;
  /** The outcome of the last attempt to save. */
  outcome?: 'saved' | 'nothingChosen';
  /** Where the subscription is ended. */
  leaveUrl: string;
};

/** The style of the view with the colour of a page. */
export function choiceViewStyle({ accent }: PageBrand): string {
  return styleFor(accent) + choiceStyle;
}

/** The view in which a subscriber chooses what it hears of, as HTML. Its form posts to the address of the view. */
export function renderChoiceView(content: ChoiceViewContent): string {
  const { brand, language, outcome, leaveUrl } = content;
  const phrases = textsOf('choice', language);
  return renderDocument({
    ...{ title: phrases.title, brand, language, style: choiceViewStyle(brand) },
    children: (
      <>
        <h1>{phrases.title}</h1>
        <p>{phrases.text({ page: brand.name })}</p>
        {outcome !== undefined && (
          <p class={`outcome ${outcome}`} role={outcome === 'saved' ? 'status' : 'alert'}>
            {phrases[outcome]}
          </p>
        )}
        <form method="post" class="choice">
          <ChoiceFields {...content} />
          <LanguageField brand={brand} language={language} phrases={phrases} />
          <button type="submit">{phrases.save}</button>
        </form>
        <form method="post" action={leaveUrl} class="leave">
          <button type="submit" class="quiet">
            {phrases.leave}
          </button>
        </form>
      </>
    ),
  });
}

type LanguageFieldProps = { brand: PageBrand; language: string; phrases: ChoiceTexts };

/** A page in one language asks for none. */
function LanguageField({ brand: { languages }, language, phrases }: LanguageFieldProps) {
  if (languages.length < 2) return <input type="hidden" name="language" value={language} />;
  return (
    <p class="field">
      <label for="language">{phrases.languageLabel}</label>
      <select id="language" name="language">
        {languages.map((one) => (
          <option key={one} value={one} lang={one} selected={one === language}>
            {nameOfLanguage(one)}
          </option>
        ))}
      </select>
    </p>
  );
}
