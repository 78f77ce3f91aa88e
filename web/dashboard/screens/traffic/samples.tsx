import { useState } from 'preact/hooks';
import type { FailureSample, FailuresAnswer } from '../../../../contract/analytics/failures.js';
import { traceHref } from '../../../../contract/manage/trace-url.js';
import { useFormat } from '../../format.js';
import { CopyButton } from '../../kit/copy-button.js';
import { Icon } from '../../kit/icons.js';
import { ReadView, Skeleton } from '../../kit/states.js';
import { useTexts } from '../../texts.js';
import type { Place } from './place.js';
import { samplesMax, useSamples, useTraceUrl } from './reads.js';
import { StatusBadge } from './status-badge.js';
import { trafficTexts } from './texts.js';

/** The newest samples of the failing requests with a message. They are read when somebody asks. */
export function Samples({ message, place }: { message: string; place: Place }) {
  const texts = useTexts(trafficTexts).samples;
  const [isOpen, setOpen] = useState(false);
  return (
    <div class="samples">
      <button
        type="button"
        class="samples-button"
        aria-expanded={isOpen}
        aria-label={isOpen ? texts.hideOf({ message }) : texts.showOf({ message })}
        onClick={() => setOpen(!isOpen)}
      >
        {isOpen ? texts.hide : texts.show}
      </button>
      {isOpen && <SampleList message={message} place={place} />}
    </div>
  );
}

function SampleList({ message, place }: { message: string; place: Place }) {
  const texts = useTexts(trafficTexts).samples;
  const read = useSamples(place, message);
  const traceUrl = useTraceUrl(place.slug);
  return (
    <ReadView
      read={read}
      skeleton={<Skeleton lines={3} />}
      isEmpty={({ samples }) => samples.length === 0}
      empty={<p class="note">{texts.none}</p>}
    >
      {({ samples, nextCursor }: FailuresAnswer) => (
        <>
          <ul class="sample-list" aria-label={texts.title}>
            {samples.map((sample) => (
              <Sample key={JSON.stringify(sample)} sample={sample} traceUrl={traceUrl} place={place} />
            ))}
          </ul>
          {nextCursor !== null && <p class="note">{texts.newest({ count: samplesMax })}</p>}
        </>
      )}
    </ReadView>
  );
}

type SampleProps = { sample: FailureSample; traceUrl: string | null; place: Place };

function Sample({ sample, traceUrl, place: { filters } }: SampleProps) {
  const texts = useTexts(trafficTexts).samples;
  const format = useFormat();
  const { at, service, endpoint, method, status, errorType, version, message, stack, attributes } = sample;
  const time = Date.parse(at);
  return (
    <li>
      <div class="message-facts">
        <StatusBadge status={status} />
        {errorType !== '' && <strong class="sample-type">{errorType}</strong>}
        <time class="note" dateTime={at} title={format.full(time)}>
          {format.moment(time)}
        </time>
        {version !== '' && <span class="note">{texts.version({ version })}</span>}
        {filters.endpoint === undefined && (
          <span class="note" dir="auto">
            {filters.service === undefined && `${service} `}
            {method} {endpoint}
          </span>
        )}
        <Trace sample={sample} traceUrl={traceUrl} />
      </div>
      {message !== '' && (
        <p class="sample-message" dir="auto">
          {message}
        </p>
      )}
      {attributes.length > 0 && (
        <dl class="sample-attributes">
          {attributes.map(({ name, value }) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd dir="auto">{value}</dd>
            </div>
          ))}
        </dl>
      )}
      {stack !== '' && (
        <details class="sample-stack">
          <summary>{texts.stack}</summary>
          {/* Long lines scroll, which the keyboard does as well. */}
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls takes the focus. */}
          <pre tabIndex={0}>{stack}</pre>
        </details>
      )}
    </li>
  );
}

/** A link to the trace in the tracing tool; without an address of traces, its id to copy. */
function Trace({ sample, traceUrl }: Pick<SampleProps, 'sample' | 'traceUrl'>) {
  const texts = useTexts(trafficTexts).samples;
  const href = traceHref(traceUrl, sample);
  if (sample.traceId === '') return null;
  if (href === null) {
    return (
      <span class="sample-trace">
        <code>{sample.traceId}</code>
        <CopyButton text={sample.traceId} />
      </span>
    );
  }
  return (
    <a class="sample-trace" href={href} target="_blank" rel="noreferrer" title={sample.traceId}>
      {texts.trace}
      <Icon name="external" />
    </a>
  );
}
