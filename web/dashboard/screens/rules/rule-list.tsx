import { useMemo } from 'preact/hooks';
import { type ManagedRule as Rule, ruleLimits, ruleStates } from '../../../../contract/manage/rules.js';
import { useAddress } from '../../address/use-address.js';
import { useFormat } from '../../format.js';
import { Icon } from '../../kit/icons.js';
import { ResourceList } from '../../kit/resource-list.js';
import { kitTexts } from '../../kit/texts.js';
import { pagePath } from '../../reads/api-path.js';
import { useList } from '../../reads/use-list.js';
import { usePage } from '../../session.js';
import { PermittedButton } from '../../shell/permitted.js';
import { Screen } from '../../shell/screen.js';
import { useTexts } from '../../texts.js';
import { columnsOf } from './columns.js';
import { rulesTexts } from './texts.js';
import { useSwitches } from './use-switches.js';

/** Every rule of the page, those that fire first. */
export function RuleList() {
  const { slug } = usePage();
  const texts = useTexts(rulesTexts);
  const kit = useTexts(kitTexts);
  const format = useFormat();
  const { query, path, to } = useAddress();
  const list = useList<Rule>(pagePath(slug, '/rules'), { limit: ruleLimits.perPage, everyMs: 30_000 });
  const { rules, toggle, mayToggle } = useSwitches(list.read);
  const chosen = ruleStates.find((state) => state === query['state']);
  const rows = useMemo(
    () => (chosen === undefined ? rules : rules.filter(({ state }) => state === chosen)),
    [rules, chosen],
  );
  const columns = useMemo(
    () =>
      columnsOf({ texts, format }, kit.ruleStates, {
        hrefOf: (rule) => to(path, { rule }),
        toggle: mayToggle ? toggle : undefined,
      }),
    [texts, kit, format, path, mayToggle],
  );
  const shown = { ...list, read: { ...list.read, data: list.read.data && { items: rows } } };
  return (
    <Screen title={texts.rules} actions={<AddButton />}>
      <ResourceList
        {...{ list: shown, columns, title: texts.rules, note: texts.listWhy }}
        tools={rules.length > 0 && <StateChoice rules={rules} chosen={chosen} />}
        addressKey="rules"
        keyOf={({ slug: key }) => key}
        sorting={{ key: 'state', isDescending: false }}
        {...(rules.length === 0 && {
          empty: { title: texts.none, why: texts.noneWhy, action: <AddButton isFirst /> },
        })}
      />
    </Screen>
  );
}

type ChoiceProps = { rules: readonly Rule[]; chosen: Rule['state'] | undefined };

/** The states that rules are in, with their numbers; each is a filter of the address. */
function StateChoice({ rules, chosen }: ChoiceProps) {
  const texts = useTexts(rulesTexts);
  const { ruleStates: names } = useTexts(kitTexts);
  const format = useFormat();
  const { choose } = useAddress();
  const counted = ruleStates
    .map((state) => ({ state, count: rules.filter((rule) => rule.state === state).length }))
    .filter(({ state, count }) => count > 0 || state === chosen);
  const option = (title: string, count: number, state: Rule['state'] | undefined) => (
    <label key={title}>
      <input type="radio" name="rule-state" checked={chosen === state} onChange={() => choose({ state })} />
      <span>
        {title} {format.count(count)}
      </span>
    </label>
  );
  return (
    <fieldset class="segments state-filter">
      <legend class="visually-hidden">{texts.states}</legend>
      {option(texts.all, rules.length, undefined)}
      {counted.map(({ state, count }) => option(names[state], count, state))}
    </fieldset>
  );
}

/** The way to the form. A page without rules begins with the failure rate of each service. */
function AddButton({ isFirst = false }: { isFirst?: boolean }) {
  const { choose } = useAddress();
  const { add } = useTexts(rulesTexts);
  return (
    <PermittedButton
      permission="rules.write"
      class={isFirst ? 'button' : 'button small main'}
      onClick={() => choose({ new: 'failure-rate', state: undefined, ...(isFirst && { by: 'service' }) })}
    >
      <Icon name="plus" />
      {add}
    </PermittedButton>
  );
}
