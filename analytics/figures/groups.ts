import Type, { type Static } from 'typebox';
import { columns, Row } from '../../sql/own-store/load-event-rows.js';
import { loadInSlices } from '../../sql/slice-names.js';
import { groupColumns, type PartsSource, type Scope } from './parts-source.js';

const nullable = <Schema extends Type.TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);

/** The columns of a group; columns that the query does not group by are null. */
export const groupRow = {
  service: nullable(columns.text),
  endpoint: nullable(columns.text),
  method: nullable(columns.text),
  status: nullable(columns.status),
} as const;
const Group = Row(groupRow);
export type Group = Static<typeof Group>;

/** Selects the columns of a group from a subquery with the columns of `by`. */
export function selectGroup({ by }: Pick<Scope, 'by'>): string {
  const own: readonly string[] = by === null ? [] : groupColumns[by];
  return Object.keys(groupRow)
    .map((column) => (own.includes(column) ? column : `NULL AS ${column}`))
    .join(', ');
}

/** Returns a text that is the same for the same group only. */
export function keyOf({ service, endpoint, method, status }: Group): string {
  return JSON.stringify([service, endpoint, method, status]);
}

/** Returns the last clause of a query with one row for each group. */
export function groupBy({ by }: Scope): string {
  return by === null ? '' : `GROUP BY ${groupColumns[by].join(', ')}`;
}

/** Returns what `make` returns with the condition that a row is of one of these groups, and its parameters. */
export function amongGroups(
  { by }: Pick<Scope, 'by'>,
  groups: readonly Group[],
  make: (among: string[]) => PartsSource,
): PartsSource {
  if (by === null) return make([]);
  const { condition, among } = conditionOf(by, groups);
  const { query, parameters } = make([condition]);
  return { query, parameters: { ...parameters, ...among } };
}

function conditionOf(
  by: NonNullable<Scope['by']>,
  groups: readonly Group[],
): { condition: string; among: Record<string, unknown> } {
  if (by !== 'endpoint') {
    const type = by === 'status' ? 'UInt16' : 'String';
    return {
      condition: `${by} IN {among:Array(${type})}`,
      among: { among: groups.map((one) => one[by]) },
    };
  }
  return {
    // The first condition lets ClickHouse skip rows by its index; pairs of names are compared afterwards.
    condition: `service IN {amongServices:Array(String)} AND endpoint IN {amongEndpoints:Array(String)}
      AND (service, endpoint) IN (SELECT arrayJoin(arrayZip({amongServices:Array(String)}, {amongEndpoints:Array(String)})))`,
    among: {
      amongServices: groups.map(({ service }) => service),
      amongEndpoints: groups.map(({ endpoint }) => endpoint),
    },
  };
}

/** Loads rows of groups as loadInSlices() does. */
export function loadGroupSlices<Loaded>(
  groups: readonly Group[],
  load: (slice: readonly Group[]) => Promise<Loaded[]>,
): AsyncGenerator<Loaded[]> {
  const byKey = new Map(groups.map((group) => [keyOf(group), group]));
  return loadInSlices([...byKey.keys()], (keys) => load(keys.flatMap((key) => byKey.get(key) ?? [])));
}
