import { useFormat } from '../../format.js';
import { useTexts } from '../../texts.js';
import type { ChartColour } from './model.js';
import { chartTexts } from './texts.js';

/** Each place among the series has a shape beside its colour: on a grid of 12 around 0. */
const shapes = [
  'M0-4.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9z',
  'M-4-4h8v8h-8z',
  'M0-5 5 4h-10z',
  'M0-5.5 5.5 0 0 5.5-5.5 0z',
  'M0 5-5-4h10z',
  'M-5-1.6h3.4v-3.4h3.2v3.4h3.4v3.2h-3.4v3.4h-3.2v-3.4h-3.4z',
] as const;

/** The shape of a series, in its colour. */
export function shapeOf(place: number): string {
  return shapes[place % shapes.length] ?? shapes[0];
}

export type LegendItem = { key: string; label: string; place: number; colour: ChartColour; value: string };

export function Marker({ place, colour }: Pick<LegendItem, 'place' | 'colour'>) {
  return (
    <svg class={`chart-marker chart-ink-${colour}`} viewBox="-6 -6 12 12" aria-hidden="true">
      <path d={shapeOf(place)} />
    </svg>
  );
}

type LegendProps = {
  /** The time that the values are of. */
  time: string;
  items: readonly LegendItem[];
  hidden: ReadonlySet<string>;
  onToggle(key: string): void;
  /** From when on steps are not over. */
  unfinished: number | undefined;
};

/** The series with their values under the cursor; each can be left out. */
export function Legend({ time, items, hidden, onToggle, unfinished }: LegendProps) {
  const texts = useTexts(chartTexts);
  return (
    <ul class="chart-legend" aria-label={texts.series}>
      {items.map(({ key, label, place, colour, value }) => (
        <li key={key}>
          <button type="button" aria-pressed={!hidden.has(key)} onClick={() => onToggle(key)}>
            <Marker place={place} colour={colour} />
            <span dir="auto">{label}</span>
            <span class="chart-value">{value}</span>
          </button>
        </li>
      ))}
      <li class="chart-time">{time}</li>
      <UnfinishedItem from={unfinished} />
    </ul>
  );
}

/** Says in a legend what is lighter, and why. */
export function UnfinishedItem({ from }: { from: number | undefined }) {
  const texts = useTexts(chartTexts);
  const format = useFormat();
  return from === undefined ? null : (
    <li class="chart-time">
      <span class="chart-unfinished" aria-hidden="true">
        {texts.unfinished}
      </span>
      <span class="visually-hidden">{texts.unfinishedFrom({ time: format.moment(from) })}</span>
    </li>
  );
}
