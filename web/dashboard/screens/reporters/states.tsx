import type { ReporterHealth } from '../../../../contract/analytics/reporters.js';
import { useFormat } from '../../format.js';
import { Badge, type Tone } from '../../kit/badge.js';
import { type ShareLimits, toneOfErrorShare } from '../../kit/error-share.js';
import { Icon } from '../../kit/icons.js';
import { useShareLimits, useShareWords } from '../../kit/use-share-limits.js';
import { useTexts } from '../../texts.js';
import { countsForService, troubledInstances } from './instances.js';
import { reportersTexts } from './texts.js';

/** A reporter fails or not, and calls or not: two facts. */
export type State = 'failing' | ReporterHealth['reporting'];

/** Worst first. */
export const states: readonly State[] = ['failing', 'silent', 'late', 'clean', 'stopped', 'unknown'];

/** All that is true of a reporter, worst first. One that fails and calls as it should is only failing. */
export function statesOf({ errors, reporting }: Pick<ReporterHealth, 'errors' | 'reporting'>): State[] {
  if (errors === 0) return [reporting];
  return reporting === 'clean' ? ['failing'] : ['failing', reporting];
}

/** `failing` as its share says; see toneOf(). */
const tones: Readonly<Record<State, Tone>> = {
  failing: 'bad',
  silent: 'bad',
  late: 'warn',
  clean: 'good',
  stopped: 'none',
  unknown: 'none',
};

/** One error in a thousand is no reason for red. */
export function toneOf(state: State, failureRate: number | null, limits: ShareLimits): Tone {
  if (state !== 'failing') return tones[state];
  const tone = toneOfErrorShare(failureRate, limits);
  return tone === 'good' ? 'none' : tone;
}

/** Each state in a word; what it means follows when somebody points at it. */
export function StateBadges({
  thin,
  failureRate,
  ...reporter
}: Pick<ReporterHealth, 'errors' | 'failureRate' | 'reporting' | 'thin'>) {
  const texts = useTexts(reportersTexts);
  const limits = useShareLimits();
  return (
    <>
      {statesOf(reporter).map((state) => (
        <span key={state} class="reporter-badge" title={texts.meanings[state]}>
          <Badge tone={toneOf(state, failureRate, limits)}>{texts.states[state]}</Badge>
        </span>
      ))}
      {thin && (
        <span class="note thin" title={texts.meanings.thin}>
          {texts.states.thin}
        </span>
      )}
    </>
  );
}

/** The state of a service that reporters name: whether it fails, and how many of them are silent or late. */
export function ServiceBadges({
  service,
  instances,
}: {
  service: ReporterHealth;
  instances: readonly ReporterHealth[];
}) {
  const texts = useTexts(reportersTexts);
  const { count } = useFormat();
  const troubled = troubledInstances(instances);
  if (troubled === undefined) return <StateBadges {...service} />;
  return (
    <>
      {service.errors > 0 && <StateBadges {...service} reporting="clean" thin={false} />}
      <span class="reporter-badge" title={texts.meanings[troubled.state]}>
        <Badge tone={tones[troubled.state]}>
          {texts.someOf({
            count: count(troubled.count),
            all: count(instances.length),
            state: texts.states[troubled.state],
          })}
        </Badge>
      </span>
    </>
  );
}

/** An instance has no requests of its own, so that few of them say nothing. */
export function isThin(reporter: ReporterHealth): boolean {
  return reporter.thin && !countsForService(reporter);
}

/** Each state with its sentence. */
export function Legend() {
  const texts = useTexts(reportersTexts);
  const words = useShareWords();
  return (
    <details class="legend-box">
      <summary>
        <Icon name="right" />
        {texts.legend}
      </summary>
      <dl>
        {states.map((state) => (
          <div key={state}>
            <dt>
              <Badge tone={tones[state]}>{texts.states[state]}</Badge>
            </dt>
            <dd>{texts.meanings[state]}</dd>
          </div>
        ))}
        <div>
          <dt class="note">{texts.states.thin}</dt>
          <dd>{texts.meanings.thin}</dd>
        </div>
      </dl>
      <p class="note">{texts.legendNote}</p>
      <p class="note">{`${texts.failures}: ${words}.`}</p>
    </details>
  );
}
