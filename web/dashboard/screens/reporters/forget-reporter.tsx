import { useState } from 'preact/hooks';
import type { ReporterHealth } from '../../../../contract/analytics/reporters.js';
import { Confirm } from '../../kit/form/confirm.js';
import { showNotice } from '../../kit/notice.js';
import { pagePath } from '../../reads/api-path.js';
import { sendJson } from '../../reads/fetch-json.js';
import { useSend } from '../../reads/use-send.js';
import { usePage } from '../../session.js';
import { useTexts } from '../../texts.js';
import { reportersTexts } from './texts.js';

type Props = { reporter: ReporterHealth; onForgotten(): void };

/** A button for a reporter that will not come back, with a question before it. */
export function ForgetReporter({ reporter: { id, kind, name }, onForgotten }: Props) {
  const texts = useTexts(reportersTexts);
  const { slug } = usePage();
  const [isAsked, setAsked] = useState(false);
  const { run, isSending, error } = useSend(async () => {
    await sendJson('POST', pagePath(slug, '/reporters/forget'), { kind, id });
    showNotice(texts.forgotten(name));
    setAsked(false);
    onForgotten();
  });
  return (
    <>
      <button type="button" class="button small" onClick={() => setAsked(true)}>
        {texts.forget}
      </button>
      {isAsked && (
        <Confirm
          title={texts.forgetTitle(name)}
          action={texts.forget}
          isDanger
          {...{ isSending, error, onClose: () => setAsked(false) }}
          onConfirm={run}
        >
          <p>{texts.forgetWhy}</p>
        </Confirm>
      )}
    </>
  );
}
