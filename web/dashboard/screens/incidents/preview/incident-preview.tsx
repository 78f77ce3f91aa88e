import { useState } from 'preact/hooks';
import type { IncidentPreview as Answer } from '../../../../../contract/manage/incidents/incident-preview.js';
import { Segments, SelectField } from '../../../kit/form/choices.js';
import { useLanguageName } from '../../../kit/language-name.js';
import { PreviewFrame } from '../../../kit/preview-frame.js';
import { ErrorNotice, Skeleton } from '../../../kit/states.js';
import { pagePath } from '../../../reads/api-path.js';
import { type Preview, usePreview } from '../../../reads/use-preview.js';
import { usePage } from '../../../session.js';
import { useTexts } from '../../../texts.js';
import type { IncidentDraft } from './draft.js';
import { previewTexts } from './texts.js';
import { TranslationNote } from './translation-note.js';

type IncidentPreviewProps = {
  draft: IncidentDraft;
  /** The languages of the page, the default one first. */
  languages: readonly string[];
};

const kinds = ['page', 'mail', 'text'] as const;
const widths = ['wide', 'phone'] as const;
const phonePx = 375;
/** Height of the place of the preview while the first one loads. */
const frameHeightPx = 480;
/** More languages are in a list that opens. */
const fewLanguagesMax = 4;

/** Draws a draft as readers will get it: as a page, as an email, and as the plain text of the email. */
export function IncidentPreview({ draft, languages }: IncidentPreviewProps) {
  const texts = useTexts(previewTexts);
  const [kind, setKind] = useState<(typeof kinds)[number]>('page');
  const [width, setWidth] = useState<(typeof widths)[number]>('wide');
  const [chosen, setLanguage] = useState<string>();
  const [source = 'en'] = languages;
  const language = chosen !== undefined && languages.includes(chosen) ? chosen : source;
  const { data, error, isOlder, retry } = useIncidentPreview(draft, language);
  return (
    <div class="incident-preview">
      <div class="preview-tools">
        <Segments
          label={texts.as}
          options={kinds.map((value) => ({ value, title: texts.kinds[value] }))}
          value={kind}
          onChoose={(value) => setKind(value)}
        />
        {kind !== 'text' && (
          <Segments
            label={texts.width}
            options={widths.map((value) => ({ value, title: texts.widths[value] }))}
            value={width}
            onChoose={(value) => setWidth(value)}
          />
        )}
        {languages.length > 1 && (
          <LanguageChoice languages={languages} value={language} onChoose={setLanguage} />
        )}
      </div>
      {error !== undefined && <ErrorNotice error={error} retry={retry} />}
      {data !== undefined && language !== source && <TranslationNote preview={data} source={source} />}
      <div class={isOlder ? 'preview-view older' : 'preview-view'} aria-busy={isOlder}>
        {data !== undefined && <Shown {...{ preview: data, kind, isPhone: width === 'phone' }} />}
        {data === undefined && error === undefined && <Skeleton height={frameHeightPx} />}
      </div>
    </div>
  );
}

type LanguageChoiceProps = { languages: readonly string[]; value: string; onChoose(language: string): void };

function LanguageChoice({ languages, ...choice }: LanguageChoiceProps) {
  const texts = useTexts(previewTexts);
  const nameOf = useLanguageName();
  const options = languages.map((value) => ({ value, title: nameOf(value) }));
  const Choice = languages.length > fewLanguagesMax ? SelectField : Segments;
  return <Choice label={texts.language} options={options} {...choice} />;
}

type ShownProps = { preview: Answer; kind: (typeof kinds)[number]; isPhone: boolean };

function Shown({ preview: { page, mail, language }, kind, isPhone }: ShownProps) {
  const texts = useTexts(previewTexts);
  if (kind === 'text') {
    return (
      <pre
        class="preview-text"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a long text scrolls, also by keyboard.
        tabIndex={0}
        role="document"
        aria-label={texts.frames.text}
        lang={language}
        dir="auto"
      >
        {mail.text}
      </pre>
    );
  }
  return (
    <>
      {kind === 'mail' && (
        <p class="preview-subject">
          <span class="note">{texts.subject}</span>{' '}
          <strong lang={language} dir="auto">
            {mail.subject}
          </strong>
        </p>
      )}
      <PreviewFrame
        key={kind}
        title={texts.frames[kind]}
        html={kind === 'page' ? page.html : mail.html}
        widthPx={isPhone ? phonePx : undefined}
      />
      <p class="note">{texts.links}</p>
    </>
  );
}

/** Reads the preview of a draft in a language. Another language shows at once. */
function useIncidentPreview(draft: IncidentDraft, language: string): Preview<Answer> {
  const { slug } = usePage();
  return usePreview(pagePath(slug, '/incidents/preview'), bodyOf(draft, language), { choice: language });
}

/** Leaves out empty fields. */
function bodyOf({ monitorSlugs, startedAt, ...draft }: IncidentDraft, language: string): object {
  return {
    ...{ ...draft, language },
    ...(monitorSlugs && { monitorSlugs: [...monitorSlugs] }),
    ...(startedAt && { startedAt }),
  };
}
