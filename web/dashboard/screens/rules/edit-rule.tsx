import { useState } from 'preact/hooks';
import type { ManagedAlertRule } from '../../../../contract/manage/alert-rule.js';
import { Confirm } from '../../kit/form/confirm.js';
import { ConflictDialog } from '../../kit/form/conflict.js';
import { Form } from '../../kit/form/form.js';
import { SubmitButton } from '../../kit/form/form-buttons.js';
import { useEditor } from '../../kit/form/use-editor.js';
import { Icon } from '../../kit/icons.js';
import { showNotice } from '../../kit/notice.js';
import { Panel } from '../../kit/panel.js';
import { kitTexts } from '../../kit/texts.js';
import { pagePath } from '../../reads/api-path.js';
import { sendJson } from '../../reads/fetch-json.js';
import { unlessGone } from '../../reads/refusals.js';
import type { Read } from '../../reads/use-read.js';
import { usePage } from '../../session.js';
import { PermittedButton } from '../../shell/permitted.js';
import { incidentPath } from '../../shell/screens.js';
import { useTexts } from '../../texts.js';
import { BackTest } from './back-test.js';
import { bodyOf, checkRule, fieldsOf, type RuleFields } from './rule.js';
import { RuleInputs } from './rule-fields.js';
import { rulesTexts } from './texts.js';

type EditProps = { read: Read<ManagedAlertRule>; saved: ManagedAlertRule };

/** Changes the rule of the page, and shows at once what the change would have done. */
export function EditRule({ read, saved }: EditProps) {
  const { slug } = usePage();
  const texts = useTexts(rulesTexts);
  const kit = useTexts(kitTexts);
  const editor = useEditor<ManagedAlertRule, RuleFields>({
    ...{ path: pagePath(slug, '/alert-rule'), method: 'PUT', read, saved },
    valuesOf: fieldsOf,
    bodyOf: (_, values) => bodyOf(values),
    keptAs: 'alert rule',
    check: (values) => checkRule(values, texts),
    onSaved: () => showNotice(texts.saved),
  });
  return (
    <>
      <Panel title={texts.rule} note={texts.ruleWhy} actions={<RemoveButton read={read} />}>
        {saved.incidentId !== null && (
          <p class="rule-open">
            <Icon name="warning" />
            {texts.open} <a href={incidentPath(slug, saved.incidentId)}>{texts.openLink}</a>
          </p>
        )}
        <Form
          form={editor}
          actions={
            <>
              <SubmitButton form={editor} needsChange>
                {texts.save}
              </SubmitButton>
              {editor.isChanged && (
                <button type="button" class="button small" onClick={editor.discard}>
                  {kit.discard}
                </button>
              )}
            </>
          }
        >
          <RuleInputs form={editor} />
        </Form>
      </Panel>
      <BackTest rule={editor.values} />
      <ConflictDialog
        editor={editor}
        labels={{
          thresholdPercent: `${texts.threshold} (${texts.percent})`,
          windowMinutes: `${texts.window} (${texts.minutes})`,
          minimumRequests: `${texts.minimum} (${texts.requests})`,
        }}
      />
    </>
  );
}

function RemoveButton({ read }: { read: Read<ManagedAlertRule> }) {
  const { slug } = usePage();
  const texts = useTexts(rulesTexts);
  const [isAsked, setAsked] = useState(false);
  const confirm = async (): Promise<void> => {
    await sendJson('DELETE', pagePath(slug, '/alert-rule')).catch(unlessGone);
    showNotice(texts.removed);
    read.retry();
  };
  return (
    <>
      <PermittedButton permission="notifications.write" class="button small" onClick={() => setAsked(true)}>
        {texts.remove}
      </PermittedButton>
      {isAsked && (
        <Confirm
          title={texts.removeTitle}
          action={texts.remove}
          isDanger
          onConfirm={confirm}
          onClose={() => setAsked(false)}
        >
          <p>{texts.removeWhy}</p>
        </Confirm>
      )}
    </>
  );
}
