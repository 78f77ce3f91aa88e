import type { PersonOnCall } from '../../../../../contract/manage/schedules.js';
import { placeIn, type Span } from './span.js';

type BarsProps = {
  span: Span;
  stretches: readonly { from: string; to: string; person: PersonOnCall | null; override?: string | null }[];
  colourOf(email: string): string;
};

/** Stretches as coloured bars with names, and gaps as hatched ones. A list below says the same in words. */
export function Bars({ span, stretches, colourOf }: BarsProps) {
  return (
    <>
      {stretches.map(({ from, to, person, override }) => {
        const place = placeIn(span, { from: Date.parse(from), to: Date.parse(to) });
        if (place === undefined) return null;
        const kind = person === null ? 'gap' : colourOf(person.email);
        return (
          <span
            key={from}
            class={`on-call-bar ${kind}${override == null ? '' : ' override'}`}
            style={{ insetInlineStart: `${place.left}%`, width: `${place.width}%` }}
          >
            <span dir="auto">{person?.name}</span>
          </span>
        );
      })}
    </>
  );
}
