import type { OverallState } from './overall-state.js';
import type { PageTexts } from './texts.js';

/** The state of a whole page in one sentence. */
export function overallSentence({ overall }: PageTexts, state: OverallState): string {
  switch (state.kind) {
    case 'down':
      return overall.down(state.down, state.total);
    case 'incident':
      return overall.incident(state.open);
    case 'maintenance':
      return overall.maintenance(state.running);
    default:
      return overall[state.kind];
  }
}
