import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import type { PagePreview as Answer } from '../../../../../contract/manage/pages/preview.js';
import type { ManagedPage } from '../../../../../contract/manage/pages.js';
import { Segments, SelectField } from '../../../kit/form/choices.js';
import { useLanguageName } from '../../../kit/language-name.js';
import { PreviewFrame } from '../../../kit/preview-frame.js';
import { ErrorNotice, Skeleton } from '../../../kit/states.js';
import { pagePath } from '../../../reads/api-path.js';
import { type Preview, usePreview } from '../../../reads/use-preview.js';
import { useTexts } from '../../../texts.js';
import { isColour } from './colour-field.js';
import { looksTexts } from './texts.js';
import { type LooksValues, looksBody } from './values.js';

type PreviewProps = { page: ManagedPage; values: LooksValues };

const themes = ['light', 'dark'] as const;
const widths = ['desktop', 'phone'] as const;
const desktopPx = 1_120;
const phonePx = 375;
const heightPx = 640;

/** The public page with what is being changed of its looks. */
export function PagePreview({ page, values }: PreviewProps) {
  return <DrawnPage page={page} draft={drawable(page, values)} />;
}

type DrawnProps = {
  page: ManagedPage;
  /** The settings that differ from the saved ones. */
  draft: object;
  /** Id of the part of the page that it begins with. */
  part?: string;
};

/** The public page with some settings, as the service draws it. */
export function DrawnPage({ page, draft, part }: DrawnProps) {
  const texts = useTexts(looksTexts);
  const id = useId();
  const nameOf = useLanguageName();
  const [theme, setTheme] = useState<(typeof themes)[number]>('light');
  const [width, setWidth] = useState<(typeof widths)[number]>('desktop');
  const [chosen, setLanguage] = useState(page.defaultLanguage);
  const language = page.languages.includes(chosen) ? chosen : page.defaultLanguage;
  const preview = usePagePreview(page, { ...draft, language });
  const { html } = preview.data ?? {};
  return (
    <section class="page-preview" aria-labelledby={id}>
      <h2 id={id} class="visually-hidden">
        {texts.preview}
      </h2>
      <div class="page-preview-tools">
        <Segments
          label={texts.theme}
          options={themes.map((value) => ({ value, title: texts.themes[value] }))}
          value={theme}
          onChoose={(value) => setTheme(value)}
        />
        <Segments
          label={texts.width}
          options={widths.map((value) => ({ value, title: texts.widths[value] }))}
          value={width}
          onChoose={(value) => setWidth(value)}
        />
        {page.languages.length > 1 && (
          <SelectField
            label={texts.language}
            options={page.languages.map((value) => ({ value, title: nameOf(value) }))}
            value={language}
            onChoose={setLanguage}
          />
        )}
      </div>
      {preview.error !== undefined && <ErrorNotice error={preview.error} retry={preview.retry} />}
      {html !== undefined && (
        <Scaled widthPx={width === 'phone' ? phonePx : desktopPx} isOlder={preview.isOlder}>
          <PreviewFrame
            title={texts.preview}
            html={html.replace('<html ', `<html data-theme="${theme}" `)}
            widthPx={width === 'phone' ? phonePx : desktopPx}
            {...(part !== undefined && { part })}
          />
        </Scaled>
      )}
      {html === undefined && preview.error === undefined && <Skeleton height={heightPx} />}
      <p class="note">{texts.previewNote}</p>
    </section>
  );
}

/** Returns the settings that can be drawn. An invalid value is left out, so that the saved one is drawn. */
function drawable(page: ManagedPage, values: LooksValues): object {
  const { name, accent, historyDays, footerLinks } = values;
  const isDrawn =
    historyDays !== null && Number.isInteger(historyDays) && historyDays >= 7 && historyDays <= 90;
  return looksBody({
    ...values,
    name: name.trim() === '' ? page.name : name,
    accent: accent.trim() === '' || isColour(accent) ? accent : (page.accent ?? ''),
    historyDays: isDrawn ? historyDays : null,
    footerLinks: footerLinks.filter(({ label, url }) => label.trim() !== '' && canLink(url)),
  });
}

function canLink(url: string): boolean {
  return /^(https?|mailto):/i.test(url) && URL.canParse(url);
}

type ScaledProps = { widthPx: number; isOlder: boolean; children: ComponentChildren };

/** Shows a document of a wide window in a narrow place, as from farther off. */
function Scaled({ widthPx, isOlder, children }: ScaledProps) {
  const box = useRef<HTMLDivElement>(null);
  const [placePx, setPlacePx] = useState(widthPx);
  useEffect(() => {
    if (box.current === null) return;
    const observer = new ResizeObserver(([entry]) => entry && setPlacePx(entry.contentRect.width));
    observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  const scale = Math.min(1, placePx / widthPx);
  const offset = Math.max(0, (placePx - widthPx * scale) / 2);
  return (
    <div
      ref={box}
      class={isOlder ? 'scaled older' : 'scaled'}
      aria-busy={isOlder}
      style={{ height: `${heightPx}px` }}
    >
      <div
        style={{
          ...{ width: `${widthPx}px`, height: `${heightPx / scale}px` },
          transform: `translateX(${offset}px) scale(${scale})`,
        }}
      >
        {children}
      </div>
    </div>
  );
}

/** The page with these settings. What is saved meanwhile, such as a logo, shows as well. */
function usePagePreview(page: ManagedPage, settings: object): Preview<Answer> {
  return usePreview(pagePath(page.slug, '/preview'), settings, { saved: page });
}
