import { objectiveLimits } from '../../../../../contract/manage/objectives.js';
import type { MonitorsOverview } from '../../../../../contract/manage/overview.js';
import { useFormat } from '../../../format.js';
import { Segments, SelectField, Switch } from '../../../kit/form/choices.js';
import { NumberField, TextField } from '../../../kit/form/field.js';
import { SuggestedField } from '../../../kit/form/suggested-field.js';
import type { FormState } from '../../../kit/form/use-form.js';
import { pagePath } from '../../../reads/api-path.js';
import { useNames } from '../../../reads/use-names.js';
import { useRead } from '../../../reads/use-read.js';
import { usePage } from '../../../session.js';
import { useTexts } from '../../../texts.js';
import { formTexts } from './texts.js';
import { measures, movedMs, type ObjectiveValues, slugOf, windowKinds } from './values.js';

type FieldsProps = { form: FormState<ObjectiveValues> };

/** The measure of an objective, how much of it has to be good, and over which time. */
export function ObjectiveFields({ form, isSaved }: FieldsProps & { isSaved: boolean }) {
  const { values, errors, set } = form;
  const texts = useTexts(formTexts);
  return (
    <>
      <TextField
        label={texts.nameField}
        hint={texts.nameWhy}
        {...form.field('name')}
        input={{ dir: 'auto', maxLength: objectiveLimits.nameChars, autocomplete: 'off' }}
      />
      <div class="field-choice">
        <Segments
          label={texts.measure}
          options={measures.map((value) => ({ value, title: texts.measures[value] }))}
          value={values.measure}
          onChoose={set('measure')}
        />
        <p class="note">{texts.measuresWhy[values.measure]}</p>
      </div>
      {values.measure === 'requests' ? <RequestsFields form={form} /> : <MonitorField form={form} />}
      <TargetFields form={form} />
      <TextField
        label={texts.slug}
        hint={texts.slugWhy}
        error={errors['slug']}
        value={slugOf(values)}
        onInput={set('slug')}
        input={{ spellcheck: false, autocomplete: 'off', maxLength: 60, readOnly: isSaved }}
      />
      <Switch
        label={texts.isPublic}
        hint={texts.isPublicWhy}
        isOn={values.isPublic}
        onSwitch={set('isPublic')}
      />
    </>
  );
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'];

function RequestsFields({ form }: FieldsProps) {
  const { values, set, errors } = form;
  const texts = useTexts(formTexts);
  const format = useFormat();
  const { services, endpoints } = useNames(values.service);
  const offered =
    values.method === '' || methods.includes(values.method) ? methods : [values.method, ...methods];
  const moved = values.underMs !== null && values.underMs > 0 ? movedMs(values.underMs) : undefined;
  return (
    <>
      <div class="field-row">
        <SuggestedField
          {...{ label: texts.service, hint: texts.serviceWhy, placeholder: texts.allServices }}
          {...form.field('service')}
          suggestions={services}
        />
        <SuggestedField
          {...{ label: texts.endpointField, hint: texts.endpointWhy, placeholder: texts.allEndpoints }}
          {...form.field('endpoint')}
          suggestions={endpoints}
        />
        {values.endpoint !== '' && (
          <SelectField
            label={texts.method}
            error={errors['method']}
            options={[
              { value: '', title: texts.anyMethod },
              ...offered.map((value) => ({ value, title: value })),
            ]}
            value={values.method}
            onChoose={set('method')}
          />
        )}
      </div>
      <NumberField
        label={texts.underMs}
        hint={
          moved === undefined || moved === values.underMs
            ? texts.underWhy
            : texts.underMoved({ ms: format.ms(moved) })
        }
        {...form.field('underMs')}
        unit={texts.ms}
        step="any"
        min={0}
      />
    </>
  );
}

function MonitorField({ form: { values, errors, set } }: FieldsProps) {
  const { slug } = usePage();
  const texts = useTexts(formTexts);
  const { data } = useRead<MonitorsOverview>(pagePath(slug, '/overview/monitors'));
  const known = (data?.monitors ?? []).map((one) => ({ value: one.slug, title: one.name }));
  // One that is chosen stays in the list while the others are not known.
  const isMissing = values.monitor !== '' && !known.some(({ value }) => value === values.monitor);
  return (
    <SelectField
      label={texts.monitor}
      hint={data !== undefined && known.length === 0 ? texts.noMonitors : undefined}
      error={errors['monitor']}
      options={[
        ...(values.monitor === '' ? [{ value: '', title: texts.chooseMonitor }] : []),
        ...(isMissing ? [{ value: values.monitor, title: values.monitor }] : []),
        ...known,
      ]}
      value={values.monitor}
      onChoose={set('monitor')}
    />
  );
}

function TargetFields({ form }: FieldsProps) {
  const { values, set } = form;
  const texts = useTexts(formTexts);
  const format = useFormat();
  const { target, windowKind } = values;
  const isTarget = target !== null && target > 0 && target < 100;
  return (
    <>
      <NumberField
        label={texts.targetField}
        hint={isTarget ? texts.targetWhy({ allowed: format.percent(100 - target) }) : texts.targetWhyEmpty}
        {...form.field('target')}
        unit={texts.percent}
        step="any"
        min={0}
        max={100}
      />
      <div class="field-choice">
        <Segments
          label={texts.window}
          options={windowKinds.map((value) => ({ value, title: texts.windowKinds[value] }))}
          value={windowKind}
          onChoose={set('windowKind')}
        />
        <p class="note">{texts.windowsWhy[windowKind]}</p>
      </div>
      {windowKind === 'days' && (
        <NumberField
          label={texts.days}
          {...form.field('days')}
          unit={texts.daysUnit}
          min={1}
          max={objectiveLimits.windowDays}
        />
      )}
    </>
  );
}
