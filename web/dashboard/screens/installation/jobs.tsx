import type { ComponentChildren } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { JobRun, ManagedJob } from '../../../../contract/manage/installation.js';
import { type Format, useFormat } from '../../format.js';
import { Badge, type Tone } from '../../kit/badge.js';
import { Confirm } from '../../kit/form/confirm.js';
import { Done, SendError } from '../../kit/form/form.js';
import { type JobTexts, jobTexts } from '../../kit/job-texts.js';
import { Panel } from '../../kit/panel.js';
import { nameOfJob } from '../../kit/person.js';
import type { Column } from '../../kit/table/column.js';
import { DataTable } from '../../kit/table/data-table.js';
import { sendJson } from '../../reads/fetch-json.js';
import { useSend } from '../../reads/use-send.js';
import { textFor, useTexts } from '../../texts.js';
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
  const words = useTexts(jobTexts);
  const format = useFormat();
  const [asked, setAsked] = useState<ManagedJob>();
  const { run, running, said, failed, error } = useRunNow(texts, words, onRun);
  const columns = useMemo(
    () => [...columnsOf(texts, words, format), runColumn(texts, words, { running, onAsk: setAsked })],
    [texts, words, format, running],
  );
  return (
    <Panel title={texts.jobs} note={texts.jobsWhy} flush actions={<Done text={said} />}>
      {error !== undefined && <SendError error={error} />}
      {failed !== undefined && (
        <p class="error-notice" role="alert">
          {texts.ran.failed({ job: nameOfJob(failed, words) })}
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
          title={texts.runTitle({ job: nameOfJob(asked.name, words) })}
          action={texts.runNow}
          onConfirm={() => run(asked.name)}
          onClose={() => setAsked(undefined)}
        >
          <p>{texts.runWhy}</p>
          <p>{sayTask(asked, words)}</p>
        </Confirm>
      )}
    </Panel>
  );
}

/** Runs one job at a time. `said` is how that goes in words; `failed` is the job whose run has failed. */
function useRunNow(texts: InstallationTexts, words: JobTexts, onRun: () => void) {
  const [asked, setAsked] = useState<string>();
  const [done, setDone] = useState<JobRun>();
  const { run, isSending, error } = useSend(async (name: string) => {
    setAsked(name);
    setDone(undefined);
    setDone(await sendJson<JobRun>('POST', `/api/v1/jobs/${encodeURIComponent(name)}/run`));
    onRun();
  });
  const running = isSending ? asked : undefined;
  const ended =
    done && done.state !== 'failed' ? texts.ran[done.state]({ job: nameOfJob(done.job, words) }) : undefined;
  return {
    ...{ run, running, error },
    said: running === undefined ? ended : texts.ran.running({ job: nameOfJob(running, words) }),
    failed: done?.state === 'failed' ? done.job : undefined,
  };
}

/** The task of a job. The API says it in English, for jobs of a newer version as well. */
function sayTask({ name, summary }: ManagedJob, { jobs }: JobTexts): ComponentChildren {
  return textFor(jobs, name)?.does ?? <span lang="en">{summary}</span>;
}

function columnsOf(texts: InstallationTexts, words: JobTexts, format: Format): Column<ManagedJob>[] {
  return [
    {
      key: 'job',
      title: texts.job,
      class: 'job-cell',
      value: ({ name }) => nameOfJob(name, words),
      text: ({ name }) => `${nameOfJob(name, words)} ${name}`,
      cell: (job) => (
        <span class="job-name">
          <strong>{nameOfJob(job.name, words)}</strong>
          <span class="job-task">{sayTask(job, words)}</span>
          <code class="note">{job.name}</code>
        </span>
      ),
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
  words: JobTexts,
  { running, onAsk }: { running: string | undefined; onAsk(job: ManagedJob): void },
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
          aria-label={texts.runNowOf({ job: nameOfJob(job.name, words) })}
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
