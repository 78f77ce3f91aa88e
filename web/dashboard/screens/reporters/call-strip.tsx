import { useFormat } from '../../format.js';
import { useTexts } from '../../texts.js';
import { type Level, levelsOf, pathOf, silentFrom } from './strip.js';
import { reportersTexts } from './texts.js';

const shape = { cell: 3, gap: 1, height: 18 };
const levels: readonly Level[] = [0, 1, 2, 3];

/** The calls of one reporter in steps of half an hour. */
export type Calls = {
  /** Start of the first step, in milliseconds since the epoch. */
  from: number;
  stepSeconds: number;
  points: readonly number[];
};

/** When a reporter called during the last day, as a strip; its words are for those who do not see it. */
export function CallStrip({ calls, everySeconds }: { calls: Calls; everySeconds: number | null }) {
  const { stepSeconds, points } = calls;
  const text = useStripText(calls);
  const filled = levelsOf(points, { stepSeconds, everySeconds });
  if (points.length === 0) return null;
  const width = points.length * (shape.cell + shape.gap) - shape.gap;
  return (
    <svg
      class="call-strip"
      viewBox={`0 0 ${width} ${shape.height}`}
      width={width}
      height={shape.height}
      role="img"
      aria-label={text}
    >
      <title>{text}</title>
      {levels.map((level) => (
        <path key={level} class={`level-${level}`} d={pathOf(filled, level, shape)} />
      ))}
    </svg>
  );
}

function useStripText({ from, stepSeconds, points }: Calls): string {
  const texts = useTexts(reportersTexts);
  const format = useFormat();
  const called = points.filter((calls) => calls > 0).length;
  if (called === 0) return texts.stripNone;
  if (called === points.length) return texts.stripAll;
  const silent = silentFrom(points);
  return [
    texts.stripOf({ called: format.count(called), all: format.count(points.length) }),
    ...(silent === undefined
      ? []
      : [texts.stripSince({ moment: format.moment(from + silent * stepSeconds * 1000) })]),
  ].join(' ');
}
