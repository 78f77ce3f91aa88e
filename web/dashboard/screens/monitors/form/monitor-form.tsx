import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { MonitorKind } from '../../../../../contract/monitors.js';
import { Form } from '../../../kit/form/form.js';
import type { FormState } from '../../../kit/form/use-form.js';
import { Panel } from '../../../kit/panel.js';
import { kitTexts } from '../../../kit/texts.js';
import type { FieldErrors } from '../../../reads/fetch-json.js';
import { useTexts } from '../../../texts.js';
import { MonitorFields } from './monitor-fields.js';
import { formTexts } from './texts.js';
import { FailedTrial, TrialPanel } from './trial-panel.js';
import type { Trial } from './use-trial.js';
import type { TriedSave } from './use-tried-save.js';
import { type MonitorValues, targetFieldsOf } from './values.js';

type MonitorFormProps = {
  kind: MonitorKind;
  form: FormState<MonitorValues>;
  trial: Trial;
  save: TriedSave;
  wrong: FieldErrors;
  /** The words on the button that saves, and on the one that saves what has failed. */
  action: string;
  actionAnyway: string;
  /** Where the person comes from. */
  cancelPath: string;
  isSaved?: boolean;
  hasSavedSecrets?: boolean;
  note?: string | undefined;
  /** The choice of the kind. */
  choice?: ComponentChildren;
};

/** The fields of a monitor, and the trial of them. */
export function MonitorForm(props: MonitorFormProps) {
  const { kind, form, trial, save, isSaved = false, hasSavedSecrets = false, choice, note } = props;
  const texts = useTexts(formTexts);
  const box = useFocusAfterQuestion(save.asked !== undefined);
  const tryNow = (): void => {
    // The form refuses to be sent, and says why beside the fields.
    if (targetFieldsOf(kind).some((field) => field in props.wrong)) form.submit();
    else void trial.run();
  };
  return (
    <div class="monitor-form" ref={box}>
      <Panel title={texts.what} note={note}>
        {choice}
        <Form form={form} onSubmit={save.submit} actions={<Buttons {...props} />}>
          <MonitorFields {...{ kind, form, isSaved, hasSavedSecrets }} />
        </Form>
      </Panel>
      <TrialPanel kind={kind} url={form.values.url.trim()} trial={trial} onTry={tryNow} />
      <FailedTrial save={save} url={form.values.url.trim()} action={props.actionAnyway} />
    </div>
  );
}

function Buttons({ form, trial, action, cancelPath }: MonitorFormProps) {
  const texts = useTexts(formTexts);
  const kit = useTexts(kitTexts);
  return (
    <>
      <button type="submit" class="button" aria-disabled={form.isSending || trial.isRunning}>
        {trial.isRunning ? texts.trying : action}
      </button>
      <a class="button small" href={cancelPath}>
        {kit.cancel}
      </a>
      {form.isChanged && (
        <button type="button" class="link-button" onClick={form.discard}>
          {kit.discard}
        </button>
      )}
    </>
  );
}

/** Moves the focus to the address after the question, because a failure is mended there first. */
function useFocusAfterQuestion(isAsking: boolean) {
  const box = useRef<HTMLDivElement>(null);
  const wasAsking = useRef(false);
  useLayoutEffect(() => {
    if (wasAsking.current && !isAsking) box.current?.querySelector<HTMLElement>('.url-input')?.focus();
    wasAsking.current = isAsking;
  }, [isAsking]);
  return box;
}
