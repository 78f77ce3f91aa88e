import type { Installation } from '../../../../contract/manage/installation.js';
import { type Format, useFormat } from '../../format.js';
import { Badge } from '../../kit/badge.js';
import { Icon } from '../../kit/icons.js';
import { type JobTexts, jobTexts } from '../../kit/job-texts.js';
import { nameOfJob } from '../../kit/person.js';
import { textFor, useTexts } from '../../texts.js';
import { findProblems, type Problem } from './find-problems.js';
import { type InstallationTexts, installationTexts } from './texts.js';

/** Whether all is well, in words, and the stores. */
export function Health({ state }: { state: Installation }) {
  const texts = useTexts(installationTexts);
  const jobs = useTexts(jobTexts);
  const format = useFormat();
  const problems = findProblems(state);
  const isWell = problems.length === 0;
  return (
    <section class="panel health" aria-label={texts.health}>
      <div class={isWell ? 'health-words good' : 'health-words bad'}>
        <Icon name={isWell ? 'check' : 'warning'} />
        <div role="status">
          <h2>{isWell ? texts.allWell : texts.needsCare}</h2>
          {isWell ? (
            <p class="note">{texts.allWellWhy}</p>
          ) : (
            <ul>
              {problems.map((problem) => {
                const sentence = sayProblem(problem, texts, jobs, format);
                return <li key={sentence}>{sentence}</li>;
              })}
            </ul>
          )}
        </div>
        <span class="note">{texts.version({ version: state.version })}</span>
      </div>
      <Stores stores={state.stores} />
    </section>
  );
}

function Stores({ stores }: Pick<Installation, 'stores'>) {
  const texts = useTexts(installationTexts);
  const format = useFormat();
  return (
    <dl class="figures">
      {(['postgres', 'clickhouse'] as const).map((name) => {
        const { isAvailable, version, bytes } = stores[name];
        return (
          <div key={name} class="figure">
            <dt>
              {texts.storeNames[name]} {version}
            </dt>
            <dd>
              <Badge tone={isAvailable ? 'good' : 'bad'}>
                {isAvailable ? texts.available : texts.unavailable}
              </Badge>
              {bytes !== null && <span class="store-bytes">{format.bytes(bytes)}</span>}
            </dd>
          </div>
        );
      })}
    </dl>
  );
}

function sayProblem(
  problem: Problem,
  { problems, storeNames, roles, batchStores, outbox }: InstallationTexts,
  jobs: JobTexts,
  format: Format,
): string {
  switch (problem.kind) {
    case 'storeUnavailable':
      return problems.storeUnavailable({ store: storeNames[problem.store] });
    case 'noInstance':
      return problems.noInstance;
    case 'roleMissing':
      return problems.roleMissing({ role: textFor(roles, problem.role) ?? problem.role });
    case 'versionsDiffer':
      return problems.versionsDiffer;
    case 'jobFailed':
      return problems.jobFailed({ job: nameOfJob(problem.job, jobs) });
    case 'batchesWait':
      return problems.batchesWait({
        store: batchStores[problem.store],
        since: format.roughSpan(problem.seconds),
      });
    case 'batchesExhausted':
      return problems.batchesExhausted({
        store: batchStores[problem.store],
        count: format.count(problem.count),
      });
    case 'outboxWaits':
      return problems.outboxWaits({ kind: outbox[problem.what], since: format.roughSpan(problem.seconds) });
  }
}
