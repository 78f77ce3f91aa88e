import type { Judged } from '../support/goals.js';
import { median } from '../support/report.js';
import { type Runs, ratioOf } from './measure-case.js';
import { type Cost, isReached } from './measure-cost.js';
import { type Case, type CaseGoal, caseGoals, costGoals, costLoads, type Part } from './plan.js';

/** Figures by case, of the part `alone` and of the others. */
export type Results = Record<'alone' | 'beside', Map<Case, Runs>>;

/** Rounds of (c) by events a second. */
export type Costs = Map<number, readonly Cost[]>;

const figureNames = { rate: 'events/s', p50Ms: 'p50', p99Ms: 'p99' };

/** Compares the goals of these parts with the figures. */
export function judgeCases(results: Results, only: ReadonlySet<Part>): Judged[] {
  return caseGoals
    .filter(({ part }) => only.has(part))
    .map((goal) => {
      const { part, load, of, to, figure, bound } = goal;
      const title = `${load.name}${part === 'alone' ? ', alone' : ''}: ${figureNames[figure]}`;
      const reason = 'not measured: a server does not run';
      return {
        goal: `${title} ${to === undefined ? `of ${of}` : `${of}/${to}`}`,
        ...{ bound, measured: measuredFor(goal, results), reason },
        ...(to === undefined && { unit: ' ms' }),
      };
    });
}

function measuredFor({ part, load, of, to, figure }: CaseGoal, results: Results): number | undefined {
  const runs = results[part === 'alone' ? 'alone' : 'beside'].get(load);
  if (runs === undefined) return undefined;
  if (to !== undefined) return ratioOf(runs, [of, to], figure);
  const own = runs.get(of);
  return own && median(own.map((run) => run[figure]));
}

/**
 * Compares the goals of the processor time of ClickHouse. A load that the machine does not reach is not judged, nor a cost
 * below what ClickHouse took while idle: it merged rows of the measurement before then.
 */
export function judgeCosts(costs: Costs): Judged[] {
  return costGoals.map(({ eventsPerSecond, bound }) => {
    const rounds = costs.get(eventsPerSecond) ?? [];
    const load = costLoads.find((load) => load.eventsPerSecond === eventsPerSecond);
    const hasReached = load !== undefined && isReached(rounds, load);
    const seconds = median(rounds.map(({ clickhouseSeconds }) => clickhouseSeconds));
    return {
      goal: `ClickHouse for a million events, at ${eventsPerSecond.toLocaleString('en')} events/s`,
      ...{ bound, digits: 3, unit: ' s' },
      measured: hasReached && seconds > 0 ? seconds : undefined,
      reason: hasReached ? 'ClickHouse was not idle before' : 'the machine does not reach this rate',
    };
  });
}
