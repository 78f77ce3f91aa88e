import { httpMethods, isProbed, type MonitorKind } from '../../../../../contract/monitors.js';
import { SelectField } from '../../../kit/form/choices.js';
import { NumberField, TextField } from '../../../kit/form/field.js';
import { SpanField } from '../../../kit/form/span-field.js';
import type { FormState } from '../../../kit/form/use-form.js';
import { useTexts } from '../../../texts.js';
import { useGroups } from '../use-groups.js';
import { DependsOn } from './depends-on.js';
import { Fold } from './fold.js';
import { RequestSecrets } from './request-secrets.js';
import { ShownFields } from './shown-fields.js';
import { formTexts } from './texts.js';
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
  const texts = useTexts(formTexts);
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
      {isProbed(kind) && (
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
      {isProbed(kind) && <Every form={form} label={texts.every} />}
      <GroupField form={form} />
      <TextField
        label={texts.slug}
        hint={texts.slugWhy}
        error={errors['slug']}
        value={slugOf(values)}
        onInput={set('slug')}
        input={{ spellcheck: false, autocomplete: 'off', maxLength: 63, readOnly: isSaved }}
      />
      {kind !== 'manual' && <MoreFields {...props} />}
      <DependsOn form={form} />
      <ShownFields form={form} />
    </>
  );
}

type PartProps = { form: FormState<MonitorValues> };

/** Nothing on a page without groups. */
function GroupField({ form: { values, errors, set } }: PartProps) {
  const texts = useTexts(formTexts);
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
  const texts = useTexts(formTexts);
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
  ...['method', 'expectStatus', 'expectBody', 'tlsExpiryDays', 'timeoutMs', 'degradedOverMs'],
  ...['failuresToDown', 'headers', 'body'],
];

function MoreFields({ kind, form, hasSavedSecrets }: FieldsProps) {
  const texts = useTexts(formTexts);
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
      {isProbed(kind) && <TimeLimits form={form} />}
      <NumberField
        label={texts.failures}
        unit={texts.failuresUnit}
        error={form.errors['failuresToDown']}
        value={form.values.failuresToDown}
        onInput={form.set('failuresToDown')}
      />
    </Fold>
  );
}

function TimeLimits({ form: { values, errors, set } }: PartProps) {
  const texts = useTexts(formTexts);
  return (
    <>
      <NumberField
        label={texts.timeout}
        unit="ms"
        error={errors['timeoutMs']}
        value={values.timeoutMs}
        onInput={set('timeoutMs')}
      />
      <NumberField
        label={texts.degradedOver}
        hint={texts.degradedOverWhy}
        unit="ms"
        error={errors['degradedOverMs']}
        value={values.degradedOverMs}
        onInput={set('degradedOverMs')}
      />
    </>
  );
}

function HttpFields({ form, hasSavedSecrets }: PartProps & { hasSavedSecrets: boolean }) {
  const { values, errors, set } = form;
  const texts = useTexts(formTexts);
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
