import type { ManagedRule as Rule } from '../../../../../contract/manage/rules.js';
import { useAddress } from '../../../address/use-address.js';
import { FormButtons } from '../../../kit/form/form-buttons.js';
import { useForm } from '../../../kit/form/use-form.js';
import { showNotice } from '../../../kit/notice.js';
import { ReadView, Skeleton } from '../../../kit/states.js';
import { pagePath } from '../../../reads/api-path.js';
import { sendJson } from '../../../reads/fetch-json.js';
import { useRead } from '../../../reads/use-read.js';
import { usePage } from '../../../session.js';
import { Screen } from '../../../shell/screen.js';
import { useTexts } from '../../../texts.js';
import { rulesTexts } from '../texts.js';
import { useRedFrom } from '../use-red-from.js';
import { checkRule, explainRule } from './check.js';
import { RuleForm } from './rule-form.js';
import { formTexts } from './texts.js';
import { bodyOf, type RuleValues, slugOf, valuesOf, valuesOfAddress } from './values.js';

/** Parameters of the address that a new rule begins with. */
const given = [
  ...['new', 'copy', 'service', 'endpoint', 'method', 'by', 'objective', 'reporter', 'monitor', 'query'],
];
const cleared = Object.fromEntries([...given, 'suggest'].map((name) => [name, undefined]));

/** A new rule of the kind that the address names; `copy` names one whose settings it begins with. */
export function NewRule({ copy }: { copy: string | undefined }) {
  const { slug } = usePage();
  const { path, query, to } = useAddress();
  const texts = useTexts(formTexts);
  const { rules } = useTexts(rulesTexts);
  const read = useRead<Rule>(copy && pagePath(slug, `/rules/${encodeURIComponent(copy)}`));
  const place = given
    .map((name) => query[name] ?? '')
    .join(' ')
    .trim();
  return (
    <Screen title={texts.newTitle} crumbs={[{ title: rules, href: to(path) }]}>
      {copy === undefined ? (
        <Create initial={valuesOfAddress(query)} keptAs={`new rule ${place}`} />
      ) : (
        <ReadView read={read} skeleton={<Skeleton lines={9} />}>
          {(rule) => (
            <Create
              initial={{ ...valuesOf(rule), name: texts.copyOf({ name: rule.name }), slug: '' }}
              keptAs={`copy of rule ${copy}`}
            />
          )}
        </ReadView>
      )}
    </Screen>
  );
}

function Create({ initial, keptAs }: { initial: RuleValues; keptAs: string }) {
  const { slug } = usePage();
  const { query, choose, replace } = useAddress();
  const texts = useTexts(formTexts);
  const setRedFrom = useRedFrom();
  const form = useForm<RuleValues>({
    ...{ initial, keptAs, required: ['name'] },
    check: (values) => checkRule(values, texts),
    explain: (error) => explainRule(error, texts),
    async send(values) {
      const path = pagePath(slug, `/rules/${slugOf(values)}`);
      const created = await sendJson<Rule>('PUT', path, bodyOf(values), { isNew: true });
      setRedFrom(created);
      replace({ ...cleared, rule: created.slug });
      showNotice(texts.created({ name: created.name }));
    },
  });
  return (
    <RuleForm
      form={form}
      isSaved={false}
      suggests={query['suggest'] !== undefined}
      actions={<FormButtons form={form} action={texts.create} onClose={() => choose(cleared)} />}
    />
  );
}
