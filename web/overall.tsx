import type { StatusPageView } from '../contract/status-page.js';
import { fillText } from './fill-text.js';
import { Icon } from './icons.js';
import { overallSentence } from './overall-sentence.js';
import type { OverallState } from './overall-state.js';
import type { PageContext } from './page-context.js';
import { Time } from './time.js';

type OverallProps = { page: PageContext; view: StatusPageView; state: OverallState };

/** The answer to what everyone comes for. */
export function Overall({ page, view, state }: OverallProps) {
  const { texts, own } = page;
  const { lastChecked } = view.summary;
  const hint = hintOf(texts.overallHint, state);
  return (
    <section class={`overall ${state.kind}`} aria-labelledby="overall" {...own}>
      <span class="badge">
        <Icon kind={state.kind} />
      </span>
      <div>
        <h1 id="overall" data-overall="">
          {overallSentence(texts, state)}
        </h1>
        {hint !== undefined && <p>{hint}</p>}
        {lastChecked !== null && (
          <p class="checked">
            {fillText(texts.lastChecked, { time: <Time page={page} at={lastChecked} /> })}
          </p>
        )}
      </div>
    </section>
  );
}

type Hints = PageContext['texts']['overallHint'];

function hintOf(hints: Hints, { kind }: OverallState): string | undefined {
  return kind === 'paused' || kind === 'empty' || kind === 'waiting' || kind === 'stale'
    ? hints[kind]
    : undefined;
}
