import { useRef } from 'preact/hooks';
import type { Template } from '../../../../../contract/manage/incidents/templates.js';
import { useAddress } from '../../../address/use-address.js';
import { CheckList, Switch } from '../../../kit/form/choices.js';
import { TextField } from '../../../kit/form/field.js';
import { Form } from '../../../kit/form/form.js';
import { SubmitButton } from '../../../kit/form/form-buttons.js';
import { MarkdownField } from '../../../kit/form/markdown-field.js';
import type { FormState } from '../../../kit/form/use-form.js';
import { showNotice } from '../../../kit/notice.js';
import { Panel } from '../../../kit/panel.js';
import { usePage } from '../../../session.js';
import { useTexts } from '../../../texts.js';
import { useAudience, usePeople } from '../audience.js';
import { ImpactFields } from '../impact-fields.js';
import { textCharsMax, titleCharsMax } from '../limits.js';
import { RecurrenceFields } from '../maintenance/recurrence-fields.js';
import { StatusSteps } from '../one/status-steps.js';
import { OwnTranslations } from '../own-translations.js';
import { TemplateChoice } from '../templates/template-choice.js';
import { otherLanguages, useMonitorOptions } from '../use-page-facts.js';
import { AudienceBox } from './audience-box.js';
import { composerTexts } from './texts.js';
import { Times } from './times.js';
import { type ComposerFormProps, type ComposerValues, spanOf } from './use-composer.js';

/** The fields in the order in which somebody in a hurry needs them, and the button that says what it does. */
export function ComposerForm(props: ComposerFormProps) {
  const { type, form, page } = props;
  const texts = useTexts(composerTexts);
  const audience = useAudience(`${type}.created`);
  const people = usePeople(audience);
  const languages = page === undefined ? [] : otherLanguages(page);
  const { values, set } = form;
  const isSeries = type === 'maintenance' && values.recurrence.repeat !== 'never';
  return (
    <Panel title={texts.form}>
      <Form
        form={form}
        actions={
          <>
            <SubmitButton form={form}>
              {isSeries
                ? texts.planSeries
                : !values.notify
                  ? texts.publishQuietly
                  : people === undefined
                    ? texts.publish
                    : texts.publishTelling({ people })}
            </SubmitButton>
            {form.isChanged && <DiscardButton form={form} />}
          </>
        }
      >
        <TextFields {...props} />
        <AffectedMonitors
          value={values.monitorSlugs}
          onChange={set('monitorSlugs')}
          error={form.errors['monitorSlugs']}
        />
        {type === 'incident' && (
          <ImpactFields
            {...values}
            errors={form.errors}
            onImpact={set('impact')}
            onStates={set('serviceStates')}
          />
        )}
        <Times {...props} />
        {type === 'incident' ? <FirstUpdate form={form} /> : <Repeats {...props} />}
        <OwnTranslations
          fields={
            type === 'incident' && values.body !== '' ? ['title', 'summary', 'body'] : ['title', 'summary']
          }
          languages={languages}
          values={values.texts}
          onInput={(tag, field, text) =>
            set('texts')({ ...values.texts, [tag]: { ...values.texts[tag], [field]: text } })
          }
        />
        {isSeries ? (
          <p class="note">{texts.seriesWhy}</p>
        ) : (
          <Switch label={texts.tell} hint={texts.tellWhy} isOn={values.notify} onSwitch={set('notify')} />
        )}
        <AudienceBox read={audience} page={page} isTold={isSeries || values.notify} />
      </Form>
    </Panel>
  );
}

/** How maintenance recurs, once it is known when it begins. */
function Repeats({ form: { values, set, errors }, page }: ComposerFormProps) {
  const { slug } = usePage();
  const zone = page?.timeZone ?? 'UTC';
  return (
    <RecurrenceFields
      {...{ slug, zone, errors }}
      {...spanOf(values, zone)}
      value={values.recurrence}
      onChange={set('recurrence')}
    />
  );
}

function TextFields({ type, form }: ComposerFormProps) {
  const texts = useTexts(composerTexts);
  return (
    <>
      <ChosenTemplate type={type} form={form} />
      <TextField
        label={texts.title}
        hint={texts.titleHints[type]}
        {...form.field('title')}
        input={{ dir: 'auto', maxLength: titleCharsMax, autocomplete: 'off', class: 'wide' }}
      />
      <MarkdownField label={texts.summaries[type]} {...form.field('summary')} maxLength={textCharsMax} />
    </>
  );
}

/** The template that the texts come from. Texts that another one replaces come back by the notice. */
function ChosenTemplate({ type, form }: Pick<ComposerFormProps, 'type' | 'form'>) {
  const texts = useTexts(composerTexts);
  const { query } = useAddress();
  const { values, draft, setDraft, isChanged } = form;
  // A draft from before stays as it is, whatever the link says.
  const named = useRef(isChanged ? undefined : query['template']);
  return (
    <TemplateChoice
      type={type}
      value={values.template === '' ? undefined : values.template}
      named={isChanged ? undefined : named.current}
      onChoose={(template) => {
        setDraft(({ edits, ...rest }) => ({ ...rest, edits: { ...edits, ...editsOf(template) } }));
        if (template !== undefined && isChanged)
          showNotice(texts.filled({ name: template.name }), () => setDraft(() => draft));
      }}
    />
  );
}

/** Returns the values of a template, which replace those of another one; without a template the texts stay. */
function editsOf(template: Template | undefined): Partial<ComposerValues> {
  if (template === undefined) return { template: '' };
  const { slug, title, summary, monitorSlugs } = template;
  const [first] = template.updates;
  const texts = Object.entries(template.texts).map(([tag, own]) => {
    const body = own.updates?.[0] ?? undefined;
    return [
      tag,
      {
        ...(own.title !== undefined && { title: own.title }),
        ...(own.summary !== undefined && { summary: own.summary }),
        ...(body !== undefined && { body }),
      },
    ] as const;
  });
  return {
    ...{ template: slug, title, summary, monitorSlugs, texts: Object.fromEntries(texts) },
    ...(first === undefined || first.status === 'resolved'
      ? { status: 'investigating', body: '' }
      : { status: first.status, body: first.body }),
  };
}

type AffectedProps = { value: string[]; onChange(value: string[]): void; error: string | undefined };

function AffectedMonitors({ value, onChange, error }: AffectedProps) {
  const texts = useTexts(composerTexts);
  const options = useMonitorOptions();
  if (options === undefined || options.length === 0) return null;
  return (
    <div class="monitor-choices">
      <CheckList
        label={texts.monitors}
        hint={texts.monitorsWhy}
        options={options}
        values={value}
        onChange={onChange}
        error={error}
      />
    </div>
  );
}

/** The draft is gone at once; for a while, a notice brings it back. */
function DiscardButton({ form }: { form: FormState<ComposerValues> }) {
  const texts = useTexts(composerTexts);
  return (
    <button
      type="button"
      class="button small"
      title={texts.kept}
      onClick={() => {
        const { draft, setDraft } = form;
        form.discard();
        showNotice(texts.discarded, () => setDraft(() => draft));
      }}
    >
      {texts.discard}
    </button>
  );
}

/** The status with which the incident begins, and its first update where more is known already. */
function FirstUpdate({ form }: { form: FormState<ComposerValues> }) {
  const { values, set } = form;
  const texts = useTexts(composerTexts);
  const isShown = values.status !== 'investigating' || values.body !== '';
  return (
    <div class="first-update">
      <StatusSteps isNew value={values.status} onChoose={set('status')} />
      {isShown && (
        <>
          <p class="note">{texts.firstUpdateWhy}</p>
          <MarkdownField label={texts.firstBody} {...form.field('body')} rows={3} maxLength={textCharsMax} />
        </>
      )}
    </div>
  );
}
