import { useMemo, useState } from 'preact/hooks';
import type { JobRun, ManagedJob } from '../../../../contract/manage/installation.js';
import { type Format, useFormat } from '../../format.js';
import { Badge, type Tone } from '../../kit/badge.js';
import { Confirm } from '../../kit/form/confirm.js';
import { Done, SendError } from '../../kit/form/form.js';
import { Panel } from '../../kit/panel.js';
import type { Column } from '../../kit/table/column.js';
import { DataTable } from '../../kit/table/data-table.js';
import { sendJson } from '../../reads/fetch-json.js';
import { useSend } from '../../reads/use-send.js';
import { useTexts } from '../../texts.js';
import { stateOfJob } from './find-problems.js';
import { type InstallationTexts, installationTexts } from './texts.js';

const states = ['failed', 'running', 'never', 'succeeded'] as const;
const tones: Readonly<Record<(typeof states)[number], Tone>> = {
  failed: 'bad',
  running: 'info',
  never: 'none',
  succeeded: 'good',
};

/** Jobs with their last run; each can be run now. `onRun` follows a run that was asked for. */
export function Jobs({ jobs, onRun }: { jobs: readonly ManagedJob[]; onRun(): void }) {
  const texts = useTexts(installationTexts);
  const format = useFormat();
  const [asked, setAsked] = useState<ManagedJob>();
  const { run, running, said, failed, error } = useRunNow(texts, onRun);
  const columns = useMemo(
    () => [...columnsOf(texts, format), runColumn(texts, running, setAsked)],
    [texts, format, running],
  );
  return (
    <Panel title={texts.jobs} note={texts.jobsWhy} flush actions={<Done text={said} />}>
      {error !== undefined && <SendError error={error} />}
      {failed !== undefined && (
        <p class="error-notice" role="alert">
          {texts.ran.failed(failed)}
        </p>
      )}
      <DataTable
        addressKey="jobs"
        name={texts.jobs}
        rows={jobs}
        columns={columns}
        keyOf={({ name }) => name}
        sorting={{ key: 'state', isDescending: false }}
      />
      {asked !== undefined && (
        <Confirm
          title={texts.runTitle(asked.name)}
          action={texts.runNow}
          isSending={false}
          error={undefined}
          onConfirm={() => {
            setAsked(undefined);
            run(asked.name);
          }}
          onClose={() => setAsked(undefined)}
        >
          <p>{texts.runWhy}</p>
          <p lang="en">{asked.summary}</p>
        </Confirm>
      )}
    </Panel>
  );
}

/** Runs one job at a time. `said` is how that goes in words; `failed` is the job whose run has failed. */
function useRunNow(texts: InstallationTexts, onRun: () => void) {
  const [asked, setAsked] = useState<string>();
  const [done, setDone] = useState<JobRun>();
  const { run, isSending, error } = useSend(async (name: string) => {
    setAsked(name);
    setDone(undefined);
    setDone(await sendJson<JobRun>('POST', `/api/v1/jobs/${encodeURIComponent(name)}/run`));
    onRun();
  });
  const running = isSending ? asked : undefined;
  const ended = done && done.state !== 'failed' ? texts.ran[done.state](done.job) : undefined;
  return {
    ...{ run, running, error },
    said: running === undefined ? ended : texts.ran.running(running),
    failed: done?.state === 'failed' ? done.job : undefined,
  };
}

function columnsOf(texts: InstallationTexts, format: Format): Column<ManagedJob>[] {
  return [
    {
      key: 'job',
      title: texts.job,
      value: ({ name }) => name,
    },
    {
      key: 'state',
      title: texts.state,
      value: (job) => states.indexOf(stateOfJob(job)),
      text: (job) => texts.jobStates[stateOfJob(job)],
      cell: (job) => {
        const state = stateOfJob(job);
        return <Badge tone={tones[state]}>{texts.jobStates[state]}</Badge>;
      },
    },
    ...timeColumns(texts, format),
    {
      key: 'schedule',
      title: texts.schedule,
      isMinor: true,
      value: ({ schedule }) => schedule,
      cell: ({ schedule }) => <code>{schedule}</code>,
    },
    {
      key: 'summary',
      title: texts.does,
      isMinor: true,
      class: 'summary-cell',
      value: ({ summary }) => summary,
      cell: ({ summary }) => <span lang="en">{summary}</span>,
    },
  ];
}

function timeColumns(texts: InstallationTexts, format: Format): Column<ManagedJob>[] {
  const timeOf = (time: string) => format.moment(Date.parse(time));
  return [
    {
      key: 'lastRun',
      title: texts.lastRun,
      isFigure: true,
      isMinor: true,
      value: ({ lastRun }) => (lastRun === null ? null : Date.parse(lastRun.startedAt)),
      text: ({ lastRun }) => lastRun?.startedAt ?? '',
      cell: ({ lastRun }) => (lastRun === null ? texts.neverRun : timeOf(lastRun.startedAt)),
    },
    {
      key: 'took',
      title: texts.took,
      isFigure: true,
      isMinor: true,
      value: (job) => tookMs(job),
      cell: (job) => {
        const ms = tookMs(job);
        return ms !== null && format.ms(ms);
      },
    },
    {
      key: 'nextRun',
      title: texts.nextRun,
      isFigure: true,
      isMinor: true,
      value: ({ nextRunAt }) => (nextRunAt === null ? null : Date.parse(nextRunAt)),
      text: ({ nextRunAt }) => nextRunAt ?? '',
      cell: ({ nextRunAt }) => nextRunAt !== null && timeOf(nextRunAt),
    },
  ];
}

function runColumn(
  texts: InstallationTexts,
  running: string | undefined,
  onAsk: (job: ManagedJob) => void,
): Column<ManagedJob> {
  return {
    key: 'run',
    title: texts.action,
    isPicture: true,
    class: 'run-cell',
    value: () => null,
    cell: (job) => {
      const isBusy = job.isRunning || running !== undefined;
      return (
        <button
          type="button"
          class="button small"
          aria-label={texts.runNowOf(job.name)}
          aria-disabled={isBusy}
          onClick={() => !isBusy && onAsk(job)}
        >
          {texts.runNow}
        </button>
      );
    },
  };
}

function tookMs({ lastRun }: ManagedJob): number | null {
  if (lastRun === null || lastRun.endedAt === null) return null;
  return Math.max(0, Date.parse(lastRun.endedAt) - Date.parse(lastRun.startedAt));
}
