import type { ManagedPolicy } from '../../../../contract/manage/policies.js';
import type { ManagedRule } from '../../../../contract/manage/rules.js';
import { useAddress } from '../../address/use-address.js';
import { Badge } from '../../kit/badge.js';
import { SendError } from '../../kit/form/form.js';
import { Icon } from '../../kit/icons.js';
import { Empty, FailedAddition, ReadView, Skeleton } from '../../kit/states.js';
import { pagePath } from '../../reads/api-path.js';
import type { ListAnswer } from '../../reads/use-list.js';
import { type Read, useRead } from '../../reads/use-read.js';
import { usePage } from '../../session.js';
import { PermittedButton } from '../../shell/permitted.js';
import { Screen } from '../../shell/screen.js';
import { pathOfScreen } from '../../shell/screens.js';
import { useTexts } from '../../texts.js';
import { StepList } from './step-list.js';
import { policiesTexts } from './texts.js';
import { type Names, useNames } from './use-names.js';
import { useRemovePolicy } from './use-remove-policy.js';

/** A page has at most fifty policies and two hundred rules. */
const all = { limit: '200' };

/** Every policy of the page with its steps, the severities that get it, and the rules that use it. */
export function PolicyList() {
  const { slug } = usePage();
  const texts = useTexts(policiesTexts);
  const { choose } = useAddress();
  const read = useRead<ListAnswer<ManagedPolicy>>(pagePath(slug, '/policies', all), { everyMs: 60_000 });
  const rules = useRead<ListAnswer<ManagedRule>>(pagePath(slug, '/rules', all));
  const names = useNames();
  const add = (
    <PermittedButton
      permission="notifications.write"
      class="button small"
      onClick={() => choose({ new: 'policy' })}
    >
      <Icon name="plus" />
      {texts.add}
    </PermittedButton>
  );
  return (
    <Screen title={texts.policies} actions={add}>
      <FailedAddition read={rules}>{texts.noRules}</FailedAddition>
      <ReadView
        read={read}
        skeleton={<Skeleton height={280} />}
        isEmpty={({ items }) => items.length === 0}
        empty={
          <Empty title={texts.none} level={2}>
            <p>{texts.noneWhy}</p>
            {add}
          </Empty>
        }
      >
        {({ items }) => (
          <ul class="policy-list">
            {items.map((policy) => (
              <Policy key={policy.slug} {...{ policy, names, read, rules: rules.data?.items ?? [] }} />
            ))}
          </ul>
        )}
      </ReadView>
    </Screen>
  );
}

type PolicyProps = {
  policy: ManagedPolicy;
  names: Names;
  rules: readonly ManagedRule[];
  read: Read<ListAnswer<ManagedPolicy>>;
};

function Policy({ policy, names, rules, read }: PolicyProps) {
  const texts = useTexts(policiesTexts);
  const { choose } = useAddress();
  const remove = useRemovePolicy(policy, read);
  return (
    <li class="panel policy">
      <header class="panel-head">
        <div>
          <h2 dir="auto">{policy.name}</h2>
          {policy.defaultFor.length > 0 && (
            <p class="policy-defaults">
              {policy.defaultFor.map((severity) => (
                <Badge key={severity} tone="info">
                  {texts.defaultOf({ severity: texts.severities[severity] })}
                </Badge>
              ))}
            </p>
          )}
        </div>
        <div class="panel-actions">
          <PermittedButton
            permission="notifications.write"
            class="button small"
            label={texts.editOf({ name: policy.name })}
            onClick={() => choose({ policy: policy.slug })}
          >
            {texts.edit}
          </PermittedButton>
          <PermittedButton
            permission="notifications.write"
            class="button small"
            label={texts.removeOf({ name: policy.name })}
            isBusy={remove.isSending}
            onClick={remove.run}
          >
            {texts.remove}
          </PermittedButton>
        </div>
      </header>
      <div class="panel-body">
        {remove.error !== undefined && <SendError error={remove.error} />}
        <StepList {...{ policy, names }} />
        {policy.withoutRole.length > 0 && (
          <p class="note">
            <Badge tone="warn">{texts.notTold}</Badge>{' '}
            {texts.notToldWhy({ people: policy.withoutRole.join(', ') })}
          </p>
        )}
        <UsedBy {...{ policy, rules }} />
      </div>
    </li>
  );
}

/** The rules that an alert of which comes here: by name, and those without a policy by their severity. */
export function rulesOf(policy: Pick<ManagedPolicy, 'slug' | 'defaultFor'>, rules: readonly ManagedRule[]) {
  return rules.filter((rule) =>
    rule.policy === null ? policy.defaultFor.includes(rule.severity) : rule.policy === policy.slug,
  );
}

function UsedBy({ policy, rules }: Pick<PolicyProps, 'policy' | 'rules'>) {
  const { slug } = usePage();
  const texts = useTexts(policiesTexts);
  const { to } = useAddress();
  const used = rulesOf(policy, rules);
  const shown = used.slice(0, 8);
  return (
    <p class="policy-rules note">
      {used.length === 0 ? texts.unused : texts.usedBy({ count: used.length })}
      {shown.map(({ slug: rule, name }) => (
        <a key={rule} href={to(pathOfScreen(slug, 'rules'), { rule })} dir="auto">
          {name}
        </a>
      ))}
      {used.length > shown.length && <span>{texts.more({ count: used.length - shown.length })}</span>}
    </p>
  );
}
