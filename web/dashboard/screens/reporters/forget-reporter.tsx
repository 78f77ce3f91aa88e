import { useState } from 'preact/hooks';
import type { ReporterHealth } from '../../../../contract/analytics/reporters.js';
import { Confirm } from '../../kit/form/confirm.js';
import { showNotice } from '../../kit/notice.js';
import { pagePath } from '../../reads/api-path.js';
import { sendJson } from '../../reads/fetch-json.js';
import { usePage } from '../../session.js';
import { useTexts } from '../../texts.js';
import { reportersTexts } from './texts.js';

type Props = { reporter: ReporterHealth; onForgotten(): void };

/** A button for a reporter that will not come back, with a question before it. */
export function ForgetReporter({ reporter: { id, kind, name }, onForgotten }: Props) {
  const texts = useTexts(reportersTexts);
  const { slug } = usePage();
  const [isAsked, setAsked] = useState(false);
  const confirm = async (): Promise<void> => {
    await sendJson('POST', pagePath(slug, '/reporters/forget'), { kind, id });
    showNotice(texts.forgotten({ name }));
    onForgotten();
  };
  return (
    <>
      <button type="button" class="button small" onClick={() => setAsked(true)}>
        {texts.forget}
      </button>
      {isAsked && (
        <Confirm
          title={texts.forgetTitle({ name })}
          action={texts.forget}
          isDanger
          onClose={() => setAsked(false)}
          onConfirm={confirm}
        >
          <p>{texts.forgetWhy}</p>
        </Confirm>
      )}
    </>
  );
}
