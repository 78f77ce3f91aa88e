import { useState } from 'preact/hooks';
import type { IncidentType } from '../../../../../contract/incidents.js';
import { Segments } from '../../../kit/form/choices.js';
import { Skeleton } from '../../../kit/states.js';
import { usePage } from '../../../session.js';
import { ReadOnlyNote } from '../../../shell/permitted.js';
import { Screen } from '../../../shell/screen.js';
import { pathOfScreen } from '../../../shell/screens.js';
import { useTexts } from '../../../texts.js';
import { IncidentPreview } from '../preview/incident-preview.js';
import { incidentsTexts } from '../texts.js';
import { otherLanguages, type PageFacts, usePageFacts } from '../use-page-facts.js';
import { ComposerForm } from './composer-form.js';
import { composerTexts } from './texts.js';
import { type ComposerValues, useComposer, writtenOf } from './use-composer.js';

/** Writes an incident or maintenance, with a look at what people will get, and how many they are. */
export function Composer({ type }: { type: IncidentType }) {
  const texts = useTexts(composerTexts);
  const { incidents } = useTexts(incidentsTexts);
  const { slug, may } = usePage();
  const page = usePageFacts();
  return (
    <Screen title={texts.titles[type]} crumbs={[{ title: incidents, href: pathOfScreen(slug, 'incidents') }]}>
      <ReadOnlyNote permission="incidents.write" />
      {may('incidents.write') &&
        (page.data === undefined && page.error === undefined ? (
          <Skeleton height={420} />
        ) : (
          <Columns type={type} page={page.data} />
        ))}
    </Screen>
  );
}

/** The form needs nothing of the page but its languages and its zone, so it is there when they could not be read. */
function Columns({ type, page }: { type: IncidentType; page: PageFacts | undefined }) {
  const texts = useTexts(composerTexts);
  const form = useComposer(type, page?.timeZone ?? 'UTC');
  const [shown, show] = useState<'write' | 'preview'>('write');
  const languages = page === undefined ? [] : [page.defaultLanguage, ...otherLanguages(page)];
  return (
    <div class={`composer ${shown}`}>
      <div class="composer-mode">
        <Segments
          label={texts.mode}
          value={shown}
          onChoose={(chosen: 'write' | 'preview') => show(chosen)}
          options={(['write', 'preview'] as const).map((value) => ({ value, title: texts[value] }))}
        />
      </div>
      <div class="composer-form">
        <ComposerForm {...{ type, form, page }} />
      </div>
      <div class="composer-preview">
        {languages.length > 0 && <IncidentPreview draft={draftOf(type, form.values)} languages={languages} />}
      </div>
    </div>
  );
}

function draftOf(type: IncidentType, values: ComposerValues) {
  const { title, summary, monitorSlugs, start, startedAt, scheduledEndAt, status, body } = values;
  return {
    ...{ type, title, summary, monitorSlugs, texts: writtenOf(values) },
    ...(startedAt !== '' && (type === 'maintenance' || start === 'earlier') && { startedAt }),
    ...(type === 'maintenance' && scheduledEndAt !== '' && { scheduledEndAt }),
    ...(type === 'incident' && body.trim() !== '' && { update: { status, body } }),
  };
}
