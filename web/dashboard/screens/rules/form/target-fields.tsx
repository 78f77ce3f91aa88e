import { SelectField } from '../../../kit/form/choices.js';
import { SuggestedField } from '../../../kit/form/suggested-field.js';
import type { FormState } from '../../../kit/form/use-form.js';
import { useNames } from '../../../reads/use-names.js';
import { useTexts } from '../../../texts.js';
import { formTexts } from './texts.js';
import {
  type Choice,
  useMonitorGroups,
  useMonitors,
  useObjectives,
  usePools,
  useReporterNames,
  useSharedQueries,
} from './use-choices.js';
import type { RuleValues } from './values.js';

export type RuleFormProps = { form: FormState<RuleValues> };

/** The target of a rule of its kind, chosen from what exists. */
export function TargetFields({ form }: RuleFormProps) {
  switch (form.values.kind) {
    case 'failure-rate':
    case 'latency':
    case 'traffic':
      return <RequestsTarget form={form} />;
    case 'reporter':
      return <ReporterTarget form={form} />;
    case 'monitor':
      return <MonitorTarget form={form} />;
    case 'pool':
      return <PoolTarget form={form} />;
    case 'burn-rate':
      return <ObjectiveTarget form={form} />;
    case 'query':
      return <QueryTarget form={form} />;
  }
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'];

function RequestsTarget({ form }: RuleFormProps) {
  const { values, set } = form;
  const texts = useTexts(formTexts);
  const { services, endpoints } = useNames(values.service.trim());
  const hasEndpoint = values.endpoint.trim() !== '';
  const hasService = values.service.trim() !== '';
  const offered = (['together', 'service', 'endpoint'] as const).filter(
    (by) => by === 'together' || (by === 'service' ? !hasService : !hasEndpoint),
  );
  const known =
    values.method === '' || methods.includes(values.method) ? methods : [values.method, ...methods];
  return (
    <div class="field-row">
      <SuggestedField
        {...{ label: texts.service, hint: texts.serviceWhy, placeholder: texts.allServices }}
        {...form.field('service')}
        suggestions={services}
      />
      <SuggestedField
        {...{ label: texts.endpoint, hint: texts.endpointWhy, placeholder: texts.allEndpoints }}
        {...form.field('endpoint')}
        suggestions={endpoints}
      />
      {hasEndpoint && (
        <SelectField
          label={texts.method}
          error={form.errors['method']}
          options={[
            { value: '', title: texts.anyMethod },
            ...known.map((value) => ({ value, title: value })),
          ]}
          value={values.method}
          onChoose={set('method')}
        />
      )}
      {offered.length > 1 && (
        <SelectField
          label={texts.by}
          hint={texts.byWhy}
          error={form.errors['by']}
          options={offered.map((value) => ({ value, title: texts.bys[value] }))}
          value={offered.find((by) => by === values.by) ?? 'together'}
          onChoose={set('by')}
        />
      )}
    </div>
  );
}

function ReporterTarget({ form }: RuleFormProps) {
  const texts = useTexts(formTexts);
  const { ids, teams, regions } = useReporterNames();
  return (
    <div class="field-row">
      <SuggestedField
        {...{ label: texts.reporter, placeholder: texts.allReporters, suggestions: ids }}
        {...form.field('reporter')}
      />
      <SuggestedField
        {...{ label: texts.team, placeholder: texts.anyTeam, suggestions: teams }}
        {...form.field('team')}
      />
      <SuggestedField
        {...{ label: texts.region, placeholder: texts.anyRegion, suggestions: regions }}
        {...form.field('region')}
      />
    </div>
  );
}

function MonitorTarget({ form: { values, errors, set } }: RuleFormProps) {
  const texts = useTexts(formTexts);
  const groups = useMonitorGroups().map(({ value, title }) => ({
    ...{ value, title: texts.groupNamed({ name: title }) },
  }));
  const options = [...useMonitors(), ...groups];
  return (
    <SelectField
      label={texts.watched}
      error={errors['watched']}
      options={[{ value: '', title: texts.allMonitors }, ...withChosen(options, values.watched)]}
      value={values.watched}
      onChoose={set('watched')}
    />
  );
}

function PoolTarget({ form }: RuleFormProps) {
  const texts = useTexts(formTexts);
  const pools = usePools();
  const names = (key: 'service' | 'target' | 'pool') => [...new Set(pools.map((one) => one[key]))];
  return (
    <div class="field-row">
      <SuggestedField
        {...{ label: texts.service, placeholder: texts.allServices, suggestions: names('service') }}
        {...form.field('service')}
      />
      <SuggestedField
        {...{ label: texts.database, placeholder: texts.allDatabases, suggestions: names('target') }}
        {...form.field('database')}
      />
      <SuggestedField
        {...{ label: texts.pool, placeholder: texts.allPools, suggestions: names('pool') }}
        {...form.field('pool')}
      />
    </div>
  );
}

function ObjectiveTarget({ form: { values, errors, set } }: RuleFormProps) {
  const texts = useTexts(formTexts);
  const options = useObjectives().map(({ slug, name }) => ({ value: slug, title: name }));
  return (
    <SelectField
      label={texts.objective}
      hint={options.length === 0 ? texts.noObjectives : undefined}
      error={errors['objective']}
      options={withFirst(texts.chooseObjective, options, values.objective)}
      value={values.objective}
      onChoose={set('objective')}
    />
  );
}

function QueryTarget({ form: { values, errors, set } }: RuleFormProps) {
  const texts = useTexts(formTexts);
  const options = useSharedQueries();
  return (
    <SelectField
      label={texts.query}
      hint={options.length === 0 ? texts.noQueries : texts.queryWhy}
      error={errors['query']}
      options={withFirst(texts.chooseQuery, options, values.query)}
      value={values.query}
      onChoose={set('query')}
    />
  );
}

/** A choice stays among the choices while the others are not known, and when it is gone. */
export function withChosen(options: readonly Choice[], chosen: string): readonly Choice[] {
  if (chosen === '' || options.some(({ value }) => value === chosen)) return options;
  return [{ value: chosen, title: chosen.slice(chosen.indexOf(':') + 1) }, ...options];
}

/** A request to choose, until something is. */
function withFirst(title: string, options: readonly Choice[], chosen: string): readonly Choice[] {
  return chosen === '' ? [{ value: '', title }, ...options] : withChosen(options, chosen);
}
