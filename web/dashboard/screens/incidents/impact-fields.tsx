import {
  type DeclaredState,
  declaredStates,
  type Impact,
  impacts,
  stateOfImpact,
} from '../../../../contract/public/service-states.js';
import { SelectField } from '../../kit/form/choices.js';
import { useTexts } from '../../texts.js';
import { type ImpactTexts, impactTexts } from './impact-texts.js';
import { useMonitorOptions } from './use-page-facts.js';

/** How bad an incident is. `impact` is empty while nobody says it. */
export type ImpactValues = {
  impact: Impact | '';
  /** By slug of a monitor; those without one are as the impact says. */
  serviceStates: Readonly<Record<string, DeclaredState>>;
};

type ImpactProps = ImpactValues & {
  monitorSlugs: readonly string[];
  onImpact(impact: Impact | ''): void;
  onStates(states: Record<string, DeclaredState>): void;
  errors: { impact?: string | undefined; serviceStates?: string | undefined };
};

/** How bad an incident is as a whole and, where a monitor is worse or better off than that, for this one. */
export function ImpactFields(props: ImpactProps) {
  const { impact, serviceStates, monitorSlugs, onImpact, onStates, errors } = props;
  const texts = useTexts(impactTexts);
  const options = useMonitorOptions() ?? [];
  const affected = options.filter(({ value }) => monitorSlugs.includes(value));
  return (
    <>
      <SelectField
        label={texts.impact}
        hint={texts.impactWhy}
        error={errors.impact ?? errors.serviceStates}
        value={impact}
        onChoose={onImpact}
        options={(['', ...impacts] as const).map((value) => ({
          value,
          title: value === '' ? texts.notSaid : texts.impacts[value],
        }))}
      />
      {affected.map(({ value: slug, title }) => (
        <SelectField
          key={slug}
          label={texts.stateOf({ monitor: title })}
          value={serviceStates[slug] ?? ''}
          onChoose={(state) => {
            const { [slug]: _, ...others } = serviceStates;
            onStates(state === '' ? others : { ...others, [slug]: state });
          }}
          options={(['', ...declaredStates] as const).map((value) => ({
            value,
            title: value === '' ? usualState(impact, texts) : texts.states[value],
          }))}
        />
      ))}
    </>
  );
}

function usualState(impact: Impact | '', texts: ImpactTexts): string {
  return impact === '' ? texts.asMonitored : texts.asImpact({ state: texts.states[stateOfImpact[impact]] });
}

/** Returns the impact for a request, with the states of the chosen monitors alone. */
export function impactOf({
  impact,
  serviceStates,
  monitorSlugs,
}: ImpactValues & { monitorSlugs: readonly string[] }): {
  impact: Impact | null;
  serviceStates: Record<string, DeclaredState>;
} {
  const chosen = Object.entries(serviceStates).filter(([slug]) => monitorSlugs.includes(slug));
  return { impact: impact === '' ? null : impact, serviceStates: Object.fromEntries(chosen) };
}

/** An impact as a form holds it, in words. */
export function sayImpact(impact: string, texts: ImpactTexts): string {
  const known = impacts.find((one) => one === impact);
  return known === undefined ? texts.notSaid : texts.impacts[known];
}

/** Such as `shop: degraded, blog: down`. */
export function sayStates(states: ImpactValues['serviceStates'], texts: ImpactTexts): string {
  return Object.entries(states)
    .map(([slug, state]) => `${slug}: ${texts.states[state]}`)
    .join(', ');
}
