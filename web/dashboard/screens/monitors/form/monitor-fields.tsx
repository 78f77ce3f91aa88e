import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { ManagedPage } from '../../../../../contract/manage/pages.js';
import { httpMethods, type MonitorKind } from '../../../../../contract/monitors.js';
import { SelectField } from '../../../kit/form/choices.js';
import { NumberField, TextField } from '../../../kit/form/field.js';
import type { FormState } from '../../../kit/form/use-form.js';
import { useLanguageName } from '../../../kit/language-name.js';
import { pagePath } from '../../../reads/paths.js';
import { useRead } from '../../../reads/use-read.js';
import { usePage } from '../../../shell/session.js';
import { useTexts } from '../../../texts.js';
import { useGroups } from '../use-groups.js';
import { RequestSecrets } from './request-secrets.js';
import { SpanField } from './span-field.js';
import { monitorFormTexts } from './texts.js';
import { type MonitorValues, slugOf } from './values.js';

type FieldsProps = {
  kind: MonitorKind;
  form: FormState<MonitorValues>;
  /** Whether it is saved, so that its slug stays. */
  isSaved: boolean;
  hasSavedSecrets: boolean;
};

/** The fields of a kind: what everybody needs, and the rest folded. */
export function MonitorFields(props: FieldsProps) {
  const { kind, form, isSaved } = props;
  const { values, errors, set } = form;
  const texts = useTexts(monitorFormTexts);
  return (
    <>
      <TextField
        label={texts.name}
        hint={texts.nameWhy}
        error={errors['name']}
        value={values.name}
        onInput={set('name')}
        input={{ dir: 'auto', maxLength: 200, autocomplete: 'off' }}
      />
      {kind !== 'heartbeat' && (
        <TextField
          label={texts.url}
          hint={texts.urlsWhy[kind]}
          error={errors['url']}
          value={values.url}
          onInput={set('url')}
          input={{ inputMode: 'url', spellcheck: false, autocomplete: 'off', class: 'url-input' }}
        />
      )}
      {kind === 'heartbeat' && <Calls form={form} />}
      {kind !== 'heartbeat' && <Every form={form} label={texts.every} />}
      <GroupField form={form} />
      <TextField
        label={texts.slug}
        hint={texts.slugWhy}
        error={errors['slug']}
        value={slugOf(values)}
        onInput={set('slug')}
        input={{ spellcheck: false, autocomplete: 'off', maxLength: 63, readOnly: isSaved }}
      />
      <MoreFields {...props} />
    </>
  );
}

type PartProps = { form: FormState<MonitorValues> };

/** Nothing on a page without groups. */
function GroupField({ form: { values, errors, set } }: PartProps) {
  const texts = useTexts(monitorFormTexts);
  const groups = useGroups();
  if (groups.length === 0) return null;
  return (
    <SelectField
      label={texts.group}
      hint={texts.groupWhy}
      error={errors['group']}
      options={[
        { value: '', title: texts.noGroup },
        ...groups.map(({ slug, name }) => ({ value: slug, title: name })),
      ]}
      value={values.group ?? ''}
      onChoose={(slug) => set('group')(slug === '' ? null : slug)}
    />
  );
}

function Calls({ form: { values, errors, set } }: PartProps) {
  const texts = useTexts(monitorFormTexts);
  return (
    <>
      <SpanField
        label={texts.period}
        error={errors['periodSeconds']}
        seconds={values.periodSeconds}
        onInput={set('periodSeconds')}
        largest="days"
      />
      <SpanField
        label={texts.grace}
        error={errors['graceSeconds']}
        seconds={values.graceSeconds}
        onInput={set('graceSeconds')}
        largest="days"
      />
    </>
  );
}

function Every({ form: { values, errors, set }, label }: PartProps & { label: string }) {
  return (
    <SpanField
      label={label}
      error={errors['everySeconds']}
      seconds={values.everySeconds}
      onInput={set('everySeconds')}
      largest="hours"
    />
  );
}

/** Fields in here; the fold opens by itself when one of them is wrong. */
const folded = [
  ...['method', 'expectStatus', 'expectBody', 'tlsExpiryDays', 'timeoutMs', 'failuresToDown'],
  ...['headers', 'body'],
];

function MoreFields({ kind, form, hasSavedSecrets }: FieldsProps) {
  const texts = useTexts(monitorFormTexts);
  const isWrong = folded.some((field) => form.errors[field] !== undefined);
  return (
    <Fold
      title={texts.advanced}
      note={kind === 'http' ? texts.advancedHttp : texts.advancedOther}
      isOpened={isWrong}
      refusals={form.refusals}
    >
      {kind === 'http' && <HttpFields form={form} hasSavedSecrets={hasSavedSecrets} />}
      {kind === 'heartbeat' && <Every form={form} label={texts.everyHeartbeat} />}
      {kind !== 'heartbeat' && (
        <NumberField
          label={texts.timeout}
          unit="ms"
          error={form.errors['timeoutMs']}
          value={form.values.timeoutMs}
          onInput={form.set('timeoutMs')}
        />
      )}
      <NumberField
        label={texts.failures}
        unit={texts.failuresUnit}
        error={form.errors['failuresToDown']}
        value={form.values.failuresToDown}
        onInput={form.set('failuresToDown')}
      />
      <OtherNames form={form} />
    </Fold>
  );
}

type FoldProps = {
  title: string;
  note: string;
  /** Opens it, such as for a field that is wrong. */
  isOpened: boolean;
  refusals: number;
  children: ComponentChildren;
};

function Fold({ title, note, isOpened, refusals, children }: FoldProps) {
  const [isOpen, setOpen] = useState(isOpened);
  const ref = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    if (!isOpened) return;
    setOpen(true);
    // The form looks for the wrong field before the fold is open.
    requestAnimationFrame(() => ref.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
  }, [isOpened, refusals]);
  return (
    <details
      ref={ref}
      class="fold"
      open={isOpen}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary>
        {title} <span class="note">{note}</span>
      </summary>
      <div class="form">{children}</div>
    </details>
  );
}

function HttpFields({ form, hasSavedSecrets }: PartProps & { hasSavedSecrets: boolean }) {
  const { values, errors, set } = form;
  const texts = useTexts(monitorFormTexts);
  return (
    <>
      <SelectField
        label={texts.method}
        options={httpMethods.map((method) => ({ value: method, title: method }))}
        error={errors['method']}
        value={values.method}
        onChoose={set('method')}
      />
      <TextField
        label={texts.expectStatus}
        hint={texts.expectStatusWhy}
        error={errors['expectStatus']}
        value={values.expectStatus}
        onInput={set('expectStatus')}
        input={{ spellcheck: false }}
      />
      <TextField
        label={texts.expectBody}
        hint={texts.expectBodyWhy}
        error={errors['expectBody']}
        value={values.expectBody}
        onInput={set('expectBody')}
        input={{ spellcheck: false, dir: 'auto' }}
      />
      <NumberField
        label={texts.tlsExpiryDays}
        hint={texts.tlsExpiryDaysWhy}
        unit={texts.days}
        error={errors['tlsExpiryDays']}
        value={values.tlsExpiryDays}
        onInput={set('tlsExpiryDays')}
      />
      <RequestSecrets form={form} hasSaved={hasSavedSecrets} />
    </>
  );
}

/** The name in each other language of the page. */
function OtherNames({ form: { values, errors, set } }: PartProps) {
  const { slug } = usePage();
  const nameOf = useLanguageName();
  const texts = useTexts(monitorFormTexts);
  const { data } = useRead<ManagedPage>(pagePath(slug, ''));
  if (data === undefined) return null;
  return (
    <>
      {data.languages
        .filter((tag) => tag !== data.defaultLanguage)
        .map((tag) => (
          <TextField
            key={tag}
            label={texts.nameIn(nameOf(tag))}
            hint={texts.nameInWhy}
            error={errors['names']}
            value={values.names[tag] ?? ''}
            onInput={(name) => {
              const { [tag]: _, ...others } = values.names;
              set('names')(name === '' ? others : { ...others, [tag]: name });
            }}
            input={{ dir: 'auto', maxLength: 200 }}
          />
        ))}
    </>
  );
}
