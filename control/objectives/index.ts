export { budgetEnd, budgetOf, compliancePercent, isMet } from './budget.js';
export { burnDownOf, type CountedStep, findWorst, shareOf } from './burn-down.js';
export { burnPairsOf, burnRate, type GoodAndTotal, isBurning } from './burn-rate.js';
export { changeObjective, deleteObjective, putObjective } from './change-objective.js';
export {
  findObjective,
  listObjectives,
  listObjectivesOf,
  listPublicObjectives,
  loadObjective,
  type Objective,
  objectiveJson,
  underMsUsed,
} from './objective.js';
export { parseObjective } from './parse-objective.js';
export { daysOf, monthsUntil, type WindowPeriod, windowAt } from './windows.js';
