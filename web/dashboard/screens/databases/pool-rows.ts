import type { DatabaseHealthAnswer } from '../../../../contract/database-health.js';
import { type CurrentGroup, groupCurrent, type Level, type Summary, summarize } from './summary.js';

/** A group of pools: what it is now, what it was over the range, and its utilisation over time. */
export type PoolRow = {
  group: string;
  now: CurrentGroup | undefined;
  figures: Summary | undefined;
  utilisation: readonly (number | null)[] | undefined;
};

type Answers = {
  all: DatabaseHealthAnswer | undefined;
  groups: DatabaseHealthAnswer | undefined;
  summary: DatabaseHealthAnswer;
};

/** Every group that reported in the range or reports now. What a read has not answered yet is missing. */
export function makePoolRows({ all, groups, summary }: Answers, level: Level): PoolRow[] {
  const current = groupCurrent(all?.current.pools ?? [], level);
  const courses = new Map(groups?.series.map(({ group, points }) => [group, points]));
  const range = {
    from: Date.parse(summary.from),
    to: Date.parse(summary.to),
    stepSeconds: summary.step,
  };
  // The rest of a range that is not all kept is no figure of the whole.
  const figures = new Map(
    summary.series.map(({ group, points }) => [
      group,
      summary.keptFrom === null ? summarize(points, range) : undefined,
    ]),
  );
  const names = new Set([...figures.keys(), ...current.keys()].filter((name) => name !== null));
  return [...names].map((group) => ({
    group,
    now: current.get(group),
    figures: figures.get(group),
    utilisation: courses.get(group)?.map(({ utilisation }) => utilisation),
  }));
}
