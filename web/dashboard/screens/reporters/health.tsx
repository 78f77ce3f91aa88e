import type { ReporterHealth } from '../../../../contract/analytics/reporters.js';
import { useAddress } from '../../address/use-address.js';
import { useFormat } from '../../format.js';
import { classOfErrorShare } from '../../kit/error-share.js';
import { Figure } from '../../kit/figure.js';
import { useShareLimits, useShareWords } from '../../kit/use-share-limits.js';
import { useTexts } from '../../texts.js';
import { countsForService } from './instances.js';
import { isThin, ServiceBadges, type State, StateBadges, statesOf } from './states.js';
import { type ReportersTexts, reportersTexts } from './texts.js';

type HealthProps = { reporter: ReporterHealth; instances: readonly ReporterHealth[] };

/** The state of a reporter in a sentence, and its figures; the service has the figures of its instances. */
export function Health({ reporter, instances }: HealthProps) {
  const texts = useTexts(reportersTexts);
  const format = useFormat();
  const { path, to } = useAddress();
  const [limits, words] = [useShareLimits(), useShareWords()];
  const { service, ageSeconds, expectedEverySeconds: every, requests, errors, failureRate } = reporter;
  const labels = [texts.kinds[reporter.kind], reporter.region, reporter.team].filter(
    (label) => label !== null,
  );
  return (
    <div class="reporter-health">
      <p class="reporter-state">
        {instances.length === 0 ? (
          <StateBadges {...reporter} thin={isThin(reporter)} />
        ) : (
          <ServiceBadges service={reporter} instances={instances} />
        )}
        <span>
          {statesOf(reporter)
            .map((state) => meaningOf(state, reporter, texts))
            .join(' ')}
        </span>
        <span class="note" dir="auto">
          {labels.join(' · ')}
        </span>
      </p>
      {service !== undefined && (
        <p class="note">
          {texts.countsFor}{' '}
          <a href={to(path, { reporter: service, kind: 'service' })} dir="auto">
            {service}
          </a>
          .
        </p>
      )}
      {isThin(reporter) && <p class="note">{texts.meanings.thin}</p>}
      <dl class="figures">
        <Figure
          title={texts.lastCall}
          value={ageSeconds === null ? texts.never : format.ago(ageSeconds * 1000)}
        >
          {instances.length === 0 && (
            <span class="note">
              {every === null ? texts.noPromise : texts.every({ span: format.span(every) })}
            </span>
          )}
        </Figure>
        {!countsForService(reporter) && (
          <>
            <Figure title={texts.requests} value={format.count(requests)} />
            <Figure title={texts.errors} value={format.count(errors)} />
            <Figure
              title={texts.failures}
              value={failureRate === null ? undefined : format.share(failureRate)}
              valueClass={classOfErrorShare(failureRate, limits)}
              help={words}
            />
          </>
        )}
      </dl>
    </div>
  );
}

/** Nothing is known of the requests of an instance alone. */
function meaningOf(state: State, reporter: ReporterHealth, texts: ReportersTexts): string {
  return state === 'clean' && countsForService(reporter) ? texts.callsAsPromised : texts.meanings[state];
}
