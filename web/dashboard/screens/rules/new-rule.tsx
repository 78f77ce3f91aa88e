import type { ManagedAlertRule } from '../../../../contract/manage/alert-rule.js';
import { Form } from '../../kit/form/form.js';
import { SubmitButton } from '../../kit/form/form-buttons.js';
import { useForm } from '../../kit/form/use-form.js';
import { showNotice } from '../../kit/notice.js';
import { Panel } from '../../kit/panel.js';
import { pagePath } from '../../reads/api-path.js';
import { sendForTag } from '../../reads/fetch-json.js';
import type { Read } from '../../reads/use-read.js';
import { usePage } from '../../session.js';
import { useTexts } from '../../texts.js';
import { BackTest } from './back-test.js';
import { bodyOf, checkRule, type RuleFields, usualRule } from './rule.js';
import { RuleInputs } from './rule-fields.js';
import { rulesTexts } from './texts.js';

/** The first rule of a page: usual numbers, and what they would have done. */
export function NewRule({ onSet }: { onSet: Read<ManagedAlertRule>['take'] }) {
  const { slug } = usePage();
  const texts = useTexts(rulesTexts);
  const form = useForm<RuleFields>({
    initial: usualRule,
    keptAs: 'new alert rule',
    check: (values) => checkRule(values, texts),
    async send(values) {
      const path = pagePath(slug, '/alert-rule');
      onSet(await sendForTag<ManagedAlertRule>('PUT', path, bodyOf(values), { isNew: true }));
      showNotice(texts.saved);
    },
  });
  return (
    <>
      <Panel title={texts.rule} note={`${texts.ruleWhy} ${texts.newWhy}`}>
        <Form form={form} actions={<SubmitButton form={form}>{texts.set}</SubmitButton>}>
          <RuleInputs form={form} />
        </Form>
      </Panel>
      <BackTest rule={form.values} />
    </>
  );
}
