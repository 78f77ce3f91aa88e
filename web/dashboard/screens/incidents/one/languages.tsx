import type { ManagedIncident } from '../../../../../contract/manage/incidents/incidents.js';
import { useAddress } from '../../../address/use-address.js';
import { useLanguageName } from '../../../kit/language-name.js';
import { Panel } from '../../../kit/panel.js';
import { useTexts } from '../../../texts.js';
import { otherLanguages, type PageFacts } from '../use-page-facts.js';
import { oneTexts } from './texts.js';

type LanguagesProps = { incident: ManagedIncident; page: PageFacts; chosen: string | undefined };

/** The languages of the page, and who wrote the texts in each; a link opens them. */
export function Languages({ incident, page, chosen }: LanguagesProps) {
  const texts = useTexts(oneTexts);
  const nameOf = useLanguageName();
  const { path, query, to } = useAddress();
  return (
    <Panel title={texts.languages} note={texts.languagesWhy} flush>
      <ul class="language-rows">
        <li>
          <span>{nameOf(page.defaultLanguage)}</span>
          <span class="note">{texts.original}</span>
        </li>
        {otherLanguages(page).map((language) => (
          <li key={language}>
            <a
              href={to(path, { incident: query['incident'], language })}
              {...(language === chosen && { 'aria-current': 'true' as const })}
            >
              {nameOf(language)}
            </a>
            <span class="note">{countsOf(incident, language, texts.counts)}</span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

type Origin = 'person' | 'machine' | 'missing';

/** `3 by machine, 1 missing`. */
function countsOf(
  incident: ManagedIncident,
  language: string,
  words: Readonly<Record<Origin, string>>,
): string {
  const found = incident.texts[language];
  if (found === undefined) return '';
  const counts: Record<Origin, number> = { person: 0, machine: 0, missing: 0 };
  for (const text of [found.title, found.summary]) counts[text?.translated ?? 'missing'] += 1;
  for (const { id } of incident.updates) {
    counts[found.updates.find((one) => one.id === id)?.translated ?? 'missing'] += 1;
  }
  return (['person', 'machine', 'missing'] as const)
    .filter((origin) => counts[origin] > 0)
    .map((origin) => `${counts[origin]} ${words[origin]}`)
    .join(', ');
}
