import { boardLimits, ManagedBoard } from '../../contract/manage/boards.js';
import { loadBoards } from '../board.js';
import { nothing, type PlanInput, type PlanOn, type PlanPart } from './change.js';
import { planBySlug, type SlugSection } from './plan-by-slug.js';

const boards: SlugSection<ManagedBoard> = {
  ...{ noun: 'board', list: '/boards', answer: ManagedBoard, most: boardLimits.perPage },
  fieldsOf: ({ name, description, range, variables, tiles }) => {
    return { name, description, range, variables, tiles };
  },
};

/** Plans the boards of a page. */
export async function planBoards(on: PlanOn, input: PlanInput): Promise<PlanPart> {
  const { boards: wanted } = input.desired;
  if (wanted === undefined) return nothing();
  const present = on.exists ? await loadBoards(on.client, on.path) : [];
  return planBySlug(on, input, boards, { wanted, present });
}
