import type { ComponentChildren } from 'preact';
import type { MonitorsOverview } from '../../../../../contract/manage/overview.js';
import { CheckList, Segments } from '../../../kit/form/choices.js';
import { TextField } from '../../../kit/form/field.js';
import { MarkdownField } from '../../../kit/form/markdown-field.js';
import type { FormState } from '../../../kit/form/use-form.js';
import { useLanguageName } from '../../../kit/language-name.js';
import { useEver } from '../../../kit/use-ever.js';
import { pagePath } from '../../../reads/api-path.js';
import { useRead } from '../../../reads/use-read.js';
import { usePage } from '../../../session.js';
import { useTexts } from '../../../texts.js';
import { textCharsMax, titleCharsMax } from '../limits.js';
import { templatesTexts } from './texts.js';
import { UpdateFields } from './update-fields.js';
import type { TemplateValues } from './values.js';

type FieldsProps = {
  form: Pick<FormState<TemplateValues>, 'values' | 'set' | 'field' | 'errors'>;
  /** The languages of the page besides its default one. */
  languages: readonly string[];
  isReadOnly: boolean;
  /** The name and the address, which a new template has to be given. */
  children: ComponentChildren;
};

/** The fields of a template. */
export function TemplateFields({ form, languages, isReadOnly, children }: FieldsProps) {
  const texts = useTexts(templatesTexts);
  const { values, set } = form;
  return (
    <fieldset class="template-fields" disabled={isReadOnly}>
      <legend class="visually-hidden">{texts.templates}</legend>
      {children}
      <Segments
        label={texts.type}
        options={(['incident', 'maintenance'] as const).map((value) => ({
          value,
          title: texts.types[value],
        }))}
        value={values.type}
        onChoose={set('type')}
      />
      <TextField
        label={texts.title}
        {...form.field('title')}
        input={{ dir: 'auto', maxLength: titleCharsMax, autocomplete: 'off' }}
      />
      <MarkdownField
        label={texts.summary}
        {...form.field('summary')}
        maxLength={textCharsMax}
        isReadOnly={isReadOnly}
      />
      <Monitors
        values={values.monitorSlugs}
        onChange={set('monitorSlugs')}
        error={form.errors['monitorSlugs']}
        isDisabled={isReadOnly}
      />
      <UpdateFields
        updates={values.updates}
        languages={languages}
        isReadOnly={isReadOnly}
        onChange={set('updates')}
      />
      {languages.length > 0 && <Translations {...{ form, languages, isReadOnly }} />}
    </fieldset>
  );
}

type MonitorsProps = {
  values: readonly string[];
  onChange(values: string[]): void;
  error: string | undefined;
  isDisabled: boolean;
};

function Monitors(props: MonitorsProps) {
  const { slug } = usePage();
  const texts = useTexts(templatesTexts);
  const { data } = useRead<MonitorsOverview>(pagePath(slug, '/overview/monitors'));
  if (data === undefined) return null;
  if (data.monitors.length === 0) return <p class="note">{texts.noMonitors}</p>;
  const options = data.monitors.map((monitor) => ({ value: monitor.slug, title: monitor.name }));
  return (
    <div class="monitor-choices">
      <CheckList label={texts.monitors} options={options} {...props} />
    </div>
  );
}

/** Title and text in the other languages of the page. */
function Translations({ form, languages, isReadOnly }: Omit<FieldsProps, 'children'>) {
  const texts = useTexts(templatesTexts);
  const nameOf = useLanguageName();
  const { values, set } = form;
  const isOpen = useEver(Object.keys(values.texts).length > 0);
  const write = (language: string, field: 'title' | 'summary') => (text: string) => {
    const before = values.texts[language] ?? { title: '', summary: '' };
    const after = { ...before, [field]: text };
    const { [language]: _, ...others } = values.texts;
    const isEmpty = after.title === '' && after.summary === '';
    set('texts')(isEmpty ? others : { ...others, [language]: after });
  };
  return (
    <details class="template-part" open={isOpen}>
      <summary>{texts.translations}</summary>
      <p class="note">{texts.translationsWhy}</p>
      {languages.map((language) => (
        <div key={language} class="template-language">
          <TextField
            label={texts.titleIn({ language: nameOf(language) })}
            value={values.texts[language]?.title ?? ''}
            onInput={write(language, 'title')}
            input={{ dir: 'auto', maxLength: titleCharsMax, autocomplete: 'off' }}
          />
          <MarkdownField
            label={texts.summaryIn({ language: nameOf(language) })}
            value={values.texts[language]?.summary ?? ''}
            onInput={write(language, 'summary')}
            rows={4}
            maxLength={textCharsMax}
            isReadOnly={isReadOnly}
          />
        </div>
      ))}
    </details>
  );
}
