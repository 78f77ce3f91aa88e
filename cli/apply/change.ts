import { isDeepStrictEqual } from 'node:util';
import type { Client } from '../client/client.js';
import type { Desired } from './desired.js';
import type { Fields } from './fields.js';

/** One field that differs; `secret` stands for a value that nobody is shown. */
export type FieldChange = { field: string; before: unknown; after: unknown };

type Noun =
  | ('page' | 'group' | 'monitor' | 'webhook' | 'alert rule' | 'connection' | 'template' | 'channel')
  | ('schedule' | 'policy' | 'objective' | 'rule' | 'reports' | 'board');

/** One change of a plan. */
export type Change = {
  /** `replace` deletes and creates again what cannot change otherwise. */
  verb: 'create' | 'update' | 'replace' | 'delete';
  noun: Noun;
  /** How people know it. */
  name: string;
  fields: FieldChange[];
  /** Where the file asks for it. */
  place?: string;
  /** Makes the change, and returns what is shown only once. */
  make(): Promise<{ address?: string; secret?: string }>;
};

/** The work after which the page is as the file says. */
export type Plan = {
  page: string;
  /** In the order in which they are made. */
  changes: Change[];
  /** Further work that shows no difference: secrets, which the service compares with those that it has. */
  sends: Pick<Change, 'noun' | 'name' | 'place' | 'make'>[];
  /** Things of the page that the file lacks, and that stay because nothing is deleted. */
  kept: Pick<Change, 'noun' | 'name'>[];
};

export type PlanPart = Omit<Plan, 'page' | 'changes'> & { makes: Change[]; deletes: Change[] };

export type PlanInput = { desired: Desired; prunes: boolean };

/** The page of a plan, which may not exist yet, by its path in the API. */
export type PlanOn = { client: Client; path: string; exists: boolean };

/** Returns the fields of `after` that differ in `before`; every one when there is nothing before. */
export function differences(before: Fields | undefined, after: Fields): FieldChange[] {
  return Object.entries(after)
    .filter(([name, value]) => !isDeepStrictEqual(before?.[name], value))
    .filter(([, value]) => before !== undefined || !isNothing(value))
    .map(([field, value]) => ({ field, before: before?.[field] ?? null, after: value }));
}

function isNothing(value: unknown): boolean {
  return value === null || value === '' || (typeof value === 'object' && Object.keys(value).length === 0);
}

/**
 * The part of a section whose entries have a limit. Deletes come last, so that a change that fails leaves what is there;
 * they come first when the page cannot have the old and the new entries at once.
 *
 * @param room how many entries there may be beside those that count now.
 */
export function withDeletes(
  plan: PlanPart,
  { deletes, prunes, room }: { deletes: Change[]; prunes: boolean; room: number },
): PlanPart {
  if (!prunes) return { ...plan, kept: deletes };
  const creates = plan.makes.filter(({ verb }) => verb === 'create').length;
  if (creates <= room) return { ...plan, deletes };
  return { ...plan, makes: [...deletes, ...plan.makes] };
}

/** A part of a plan without work. */
export function nothing(): PlanPart {
  return { makes: [], deletes: [], sends: [], kept: [] };
}
