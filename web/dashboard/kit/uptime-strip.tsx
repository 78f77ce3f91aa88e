import { useFormat } from '../format.js';
import { useTexts } from '../texts.js';
import { kitTexts } from './texts.js';

type UptimeStripProps = {
  /** Percentage of each part, oldest first; null when nothing was observed. */
  uptimes: readonly (number | null)[];
  /** Percentage of all of them. */
  uptime: number | null;
  /** Start of each part in words. */
  titleAt(index: number): string;
  /** The first part that is not over, if any. */
  runningFrom?: number | undefined;
  /** As wide as its place; as an icon in a line otherwise. */
  isWide?: boolean;
};

const [barWidth, step, height] = [4, 6, 24];

/**
 * Uptime over time as bars. Trouble is taller than its neighbours, so that the colour says nothing alone; what was not
 * observed is a stub.
 */
export function UptimeStrip({ uptimes, uptime, titleAt, runningFrom, isWide = false }: UptimeStripProps) {
  const texts = useTexts(kitTexts).uptime;
  const format = useFormat();
  const troubled = uptimes.filter((value) => value !== null && value < 100).length;
  const said = uptime === null ? texts.notObserved : format.uptime(uptime);
  const rest =
    troubled === 0
      ? texts.stripGood
      : texts.stripDown({ count: format.count(troubled), all: format.count(uptimes.length) });
  const isRunning = (i: number) => runningFrom !== undefined && i >= runningFrom;
  const sentences = [
    texts.strip({ uptime: said }),
    ...(uptime === null ? [] : [rest]),
    ...(isRunning(uptimes.length - 1) ? [texts.lastRuns] : []),
  ];
  const width = Math.max(1, uptimes.length * step - (step - barWidth));
  return (
    <svg
      class={isWide ? 'uptime-strip wide' : 'uptime-strip'}
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      {...(!isWide && { width, height })}
      role="img"
      aria-label={sentences.join(' ')}
    >
      {uptimes.map((value, i) => {
        const tall = value === null ? 4 : value >= 100 ? height - 8 : height;
        return (
          <rect
            key={i}
            class={isRunning(i) ? `${classOf(value)} running` : classOf(value)}
            x={i * step}
            y={height - tall}
            width={barWidth}
            height={tall}
            {...(!isWide && { rx: 1.5 })}
          >
            <title>
              {`${titleAt(i)}: ${value === null ? texts.notObserved : format.uptime(value)}${isRunning(i) ? `, ${texts.running}` : ''}`}
            </title>
          </rect>
        );
      })}
    </svg>
  );
}

function classOf(value: number | null): string {
  if (value === null) return 'none';
  if (value >= 100) return 'good';
  return value >= 95 ? 'warn' : 'bad';
}
