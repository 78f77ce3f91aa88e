import {
  poolFigures,
  ruleLimits,
  ruleOperators,
  rulePercentiles,
} from '../../../../../contract/manage/rules.js';
import { useFormat } from '../../../format.js';
import { Segments, SelectField } from '../../../kit/form/choices.js';
import { NumberField } from '../../../kit/form/field.js';
import { SpanField } from '../../../kit/form/span-field.js';
import { useTexts } from '../../../texts.js';
import { rulesTexts } from '../texts.js';
import type { RuleFormProps } from './target-fields.js';
import { formTexts } from './texts.js';
import { useObjectives } from './use-choices.js';

/** When a rule of its kind fires. */
export function ConditionFields({ form }: RuleFormProps) {
  switch (form.values.kind) {
    case 'failure-rate':
      return <FailureRate form={form} />;
    case 'latency':
      return <Latency form={form} />;
    case 'traffic':
      return <Traffic form={form} />;
    case 'reporter':
      return <ReporterIs form={form} />;
    case 'monitor':
      return <MonitorIs form={form} />;
    case 'pool':
      return <PoolFigure form={form} />;
    case 'burn-rate':
      return <BurnRate form={form} />;
    case 'query':
      return <QueryNumber form={form} />;
  }
}

function Window({ form }: RuleFormProps) {
  const texts = useTexts(formTexts);
  const { value, onInput, error } = form.field('windowMinutes');
  return (
    <NumberField
      {...{ label: texts.window, hint: texts.windowWhy, value, onInput, error }}
      unit={texts.minutes}
      min={1}
      max={ruleLimits.windowMinutesMax}
    />
  );
}

function RequestsMin({ form }: RuleFormProps) {
  const texts = useTexts(formTexts);
  return (
    <NumberField
      {...{ label: texts.requestsMin, hint: texts.requestsMinWhy, unit: texts.requestsUnit, min: 1 }}
      {...form.field('requestsMin')}
    />
  );
}

function FailureRate({ form }: RuleFormProps) {
  const texts = useTexts(formTexts);
  return (
    <div class="field-row">
      <NumberField
        {...{ label: texts.percentField, hint: texts.percentWhy, unit: texts.percent, step: 'any' }}
        {...form.field('percent')}
        min={0}
        max={100}
      />
      <Window form={form} />
      <RequestsMin form={form} />
    </div>
  );
}

function Latency({ form }: RuleFormProps) {
  const { values, set } = form;
  const texts = useTexts(formTexts);
  return (
    <>
      <Segments
        label={texts.percentile}
        options={rulePercentiles.map((value) => ({ value, title: value }))}
        value={values.percentile}
        onChoose={set('percentile')}
      />
      <div class="field-row">
        <NumberField
          {...{ label: texts.overMs, unit: texts.ms, step: 'any', min: 0 }}
          {...form.field('overMs')}
        />
        <Window form={form} />
        <RequestsMin form={form} />
      </div>
    </>
  );
}

function Traffic({ form }: RuleFormProps) {
  const { values, set } = form;
  const texts = useTexts(formTexts);
  const isUsual = values.below === 'usual';
  return (
    <>
      <div class="field-choice">
        <Segments
          label={texts.below}
          options={(['usual', 'requests'] as const).map((value) => ({ value, title: texts.belows[value] }))}
          value={values.below}
          onChoose={set('below')}
        />
        <p class="note">{texts.belowsWhy[values.below]}</p>
      </div>
      <div class="field-row">
        <NumberField
          {...{ label: texts.below, step: 'any', min: 0 }}
          unit={isUsual ? texts.usualUnit : texts.requestsUnit}
          {...form.field(isUsual ? 'belowPercentOfUsual' : 'belowRequests')}
        />
        <Window form={form} />
      </div>
    </>
  );
}

function ReporterIs({ form: { values, set } }: RuleFormProps) {
  const texts = useTexts(formTexts);
  return (
    <div class="field-choice">
      <Segments
        label={texts.is}
        options={(['silent', 'late'] as const).map((value) => ({ value, title: texts.reporterIs[value] }))}
        value={values.reporterIs}
        onChoose={set('reporterIs')}
      />
      <p class="note">{texts.reporterIsWhy[values.reporterIs]}</p>
    </div>
  );
}

function MonitorIs({ form }: RuleFormProps) {
  const { values, set } = form;
  const texts = useTexts(formTexts);
  return (
    <>
      <div class="field-choice">
        <Segments
          label={texts.is}
          options={(['down', 'degraded', 'certificate'] as const).map((value) => ({
            ...{ value, title: texts.monitorIs[value] },
          }))}
          value={values.monitorIs}
          onChoose={set('monitorIs')}
        />
      </div>
      {values.monitorIs === 'certificate' && (
        <NumberField
          {...{ label: texts.certificateDays, unit: texts.days, min: 1, max: 365 }}
          {...form.field('certificateDays')}
        />
      )}
    </>
  );
}

function PoolFigure({ form }: RuleFormProps) {
  const { values, set } = form;
  const texts = useTexts(formTexts);
  return (
    <div class="field-row">
      <SelectField
        label={texts.figure}
        options={poolFigures.map((value) => ({ value, title: texts.figures[value] }))}
        value={values.figure}
        onChoose={set('figure')}
      />
      <NumberField {...{ label: texts.above, step: 'any', min: 0 }} {...form.field('above')} />
      <Window form={form} />
    </div>
  );
}

function BurnRate({ form }: RuleFormProps) {
  const { values, errors, set } = form;
  const texts = useTexts(formTexts);
  return (
    <>
      <Presets form={form} />
      <div class="field-row">
        <NumberField
          {...{ label: texts.factor, hint: texts.factorWhy, unit: texts.times, step: 'any', min: 0 }}
          {...form.field('factor')}
        />
        <SpanField
          {...{ label: texts.long, error: errors['longMinutes'], largest: 'days', smallest: 'minutes' }}
          seconds={values.longMinutes === null ? null : values.longMinutes * 60}
          onInput={(seconds) => set('longMinutes')(seconds === null ? null : seconds / 60)}
        />
        <SpanField
          {...{ label: texts.short, hint: texts.shortWhy, error: errors['shortMinutes'] }}
          {...{ largest: 'days', smallest: 'minutes' }}
          seconds={values.shortMinutes === null ? null : values.shortMinutes * 60}
          onInput={(seconds) => set('shortMinutes')(seconds === null ? null : seconds / 60)}
        />
      </div>
    </>
  );
}

/** The pairs of windows that fit the objective. */
function Presets({ form: { values, set } }: RuleFormProps) {
  const texts = useTexts(formTexts);
  const { severities } = useTexts(rulesTexts);
  const format = useFormat();
  const pairs = useObjectives().find(({ slug }) => slug === values.objective)?.burnPairs ?? [];
  if (pairs.length === 0) return null;
  return (
    <fieldset class="presets">
      <legend>{texts.presets}</legend>
      {pairs.map(({ severity, factor, longMinutes, shortMinutes }) => (
        <button
          key={longMinutes}
          type="button"
          class="button small"
          aria-pressed={factor === values.factor && longMinutes === values.longMinutes}
          onClick={() => {
            set('factor')(factor);
            set('longMinutes')(longMinutes);
            set('shortMinutes')(shortMinutes);
            set('severity')(severity);
          }}
        >
          {texts.preset({ severity: severities[severity], factor: format.number(factor) })}
        </button>
      ))}
    </fieldset>
  );
}

function QueryNumber({ form }: RuleFormProps) {
  const { values, set } = form;
  const texts = useTexts(formTexts);
  return (
    <div class="field-row">
      <SelectField
        label={texts.operator}
        hint={texts.valueWhy}
        options={ruleOperators.map((value) => ({ value, title: value }))}
        value={values.operator}
        onChoose={set('operator')}
      />
      <NumberField {...{ label: texts.value, step: 'any' }} {...form.field('value')} />
    </div>
  );
}
