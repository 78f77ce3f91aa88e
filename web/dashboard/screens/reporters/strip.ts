/** How full a cell is: nothing, some calls, most, or all that were promised. */
export type Level = 0 | 1 | 2 | 3;

/** Below these parts of what is promised, a cell is lighter. */
const [some, most] = [0.5, 0.9];

/**
 * Says how full each step is against what the reporter promises; against its usual number of calls without a promise.
 * The last step is still running, and counts as full with any call.
 *
 * @param points calls of each step, oldest first
 */
export function levelsOf(
  points: readonly number[],
  { stepSeconds, everySeconds }: { stepSeconds: number; everySeconds: number | null },
): Level[] {
  const promised = everySeconds === null ? usualOf(points) : stepSeconds / everySeconds;
  return points.map((calls, i) => {
    if (calls === 0) return 0;
    const part = calls / promised;
    if (part >= most || i === points.length - 1) return 3;
    return part >= some ? 2 : 1;
  });
}

/** The median of the steps with calls. */
function usualOf(points: readonly number[]): number {
  const called = points.filter((calls) => calls > 0).sort((a, b) => a - b);
  return called[Math.floor(called.length / 2)] ?? 1;
}

/** The start of the steps without a call at the end, by their place; `undefined` when the last one has a call. */
export function silentFrom(points: readonly number[]): number | undefined {
  const last = points.findLastIndex((calls) => calls > 0);
  return last === points.length - 1 || last === -1 ? undefined : last + 1;
}

/** The rectangles of all cells of one level, as a path: one element in place of up to 48. */
export function pathOf(
  levels: readonly Level[],
  level: Level,
  { cell, gap, height }: { cell: number; gap: number; height: number },
): string {
  return levels
    .flatMap((one, i) => {
      if (one !== level) return [];
      const x = i * (cell + gap);
      return level === 0
        ? [`M${x} ${height / 2 - 0.5}h${cell}v1h-${cell}z`]
        : [`M${x} 0h${cell}v${height}h-${cell}z`];
    })
    .join('');
}
