import { isProbed, type MonitorKind } from '../../../../../contract/monitors.js';
import { Badge } from '../../../kit/badge.js';
import { Confirm } from '../../../kit/form/confirm.js';
import { SendError } from '../../../kit/form/form.js';
import { Icon } from '../../../kit/icons.js';
import { Panel } from '../../../kit/panel.js';
import { useTexts } from '../../../texts.js';
import { certificateOf, certificateTones } from '../one/certificate.js';
import { Outcome } from '../one/outcome.js';
import { formTexts } from './texts.js';
import type { Trial, TrialResult } from './use-trial.js';
import type { TriedSave } from './use-tried-save.js';

type PanelProps = { kind: MonitorKind; url: string; trial: Trial; onTry(): void };

/** The trial beside the form: what it is for, its button and what it has found. */
export function TrialPanel({ kind, url, trial, onTry }: PanelProps) {
  const texts = useTexts(formTexts);
  if (!isProbed(kind)) {
    return (
      <Panel title={texts.trial}>
        <p class="note">{kind === 'manual' ? texts.manualTrial : texts.heartbeatTrial}</p>
      </Panel>
    );
  }
  const { result, isRunning, isOlder } = trial;
  return (
    <Panel
      title={texts.trial}
      note={texts.trialWhy}
      actions={
        <button
          type="button"
          class="button small"
          aria-disabled={isRunning}
          onClick={() => !isRunning && onTry()}
        >
          <Icon name="play" />
          {isRunning ? texts.trying : texts.tryNow}
        </button>
      }
    >
      <div class="trial" role="status" aria-busy={isRunning}>
        {isRunning && <p class="note">{texts.trying}</p>}
        {!isRunning && result === undefined && <p class="note">{texts.noTrial}</p>}
        {result !== undefined && isOlder && <p class="note">{texts.trialOlder}</p>}
        {result !== undefined && <Result result={result} url={url} isOlder={isOlder} />}
      </div>
    </Panel>
  );
}

type ResultProps = { result: TrialResult; url: string; isOlder?: boolean };

function Result({ result, url, isOlder = false }: ResultProps) {
  const form = useTexts(formTexts);
  if ('error' in result) {
    const { status, message } = result.error;
    return status === 400 || status === 409 || status === 429 ? (
      <p>
        {form.untried} <span lang="en">{message}</span>
      </p>
    ) : (
      <SendError error={result.error} />
    );
  }
  const { outcome } = result;
  const certificate = url.startsWith('https:') ? certificateOf(outcome) : undefined;
  return (
    <div class={isOlder ? 'trial-result older' : 'trial-result'}>
      <Outcome outcome={outcome} />
      {certificate !== undefined && (
        <p>
          {form.certificate}{' '}
          <Badge tone={certificateTones[certificate]}>{form.certificates[certificate]}</Badge>
        </p>
      )}
    </div>
  );
}

type QuestionProps = { save: TriedSave; url: string; action: string };

/** Asks before settings are saved that have failed. */
export function FailedTrial({ save: { asked, saveAnyway, closeQuestion }, url, action }: QuestionProps) {
  const texts = useTexts(formTexts);
  if (asked === undefined) return null;
  return (
    <Confirm title={texts.asked} action={action} onConfirm={saveAnyway} onClose={closeQuestion}>
      <Result result={asked} url={url} />
      <p>{texts.askedWhy}</p>
    </Confirm>
  );
}
