import { isDeepStrictEqual } from 'node:util';
import { type AuditEntryId, newId, type PageId } from '../../lib/ids.js';
import type { Transaction } from '../../sql/open-postgres.js';
import type { Actor } from './actor.js';

/** Fields of a thing by name, as representations of it show them: never a secret. */
export type AuditedFields = Readonly<Record<string, unknown>>;

export type Change = {
  /** null for what belongs to the installation. */
  pageId: PageId | null;
  /** `noun.verb`, such as `monitor.update`. */
  action: string;
  target: {
    /** The noun, such as `monitor`. */
    type: string;
    id: string;
    /** How people know it, such as the slug of a monitor. */
    name: string;
  };
  /** null when the change created the target. The row keeps the fields that differ. */
  before: AuditedFields | null;
  /** null when the change removed the target. */
  after: AuditedFields | null;
};

/**
 * Writes the row of a change into the audit log, in the transaction of the change. A change with both sides that changes
 * no field writes no row. `now` is in milliseconds since the epoch.
 */
export async function recordChange(
  tx: Transaction,
  { by, now }: { by: Actor; now: number },
  { pageId, action, target, ...sides }: Change,
): Promise<void> {
  const { before, after } = changedFields(sides);
  if (before !== null && after !== null && Object.keys({ ...before, ...after }).length === 0) return;
  const row = {
    id: newId<AuditEntryId>(now),
    at: new Date(now),
    page_id: pageId,
    actor_type: by.type,
    actor_id: by.id,
    actor_name: by.name,
    address: by.address ?? null,
    action,
    target_type: target.type,
    target_id: target.id,
    target_name: target.name,
    before: before === null ? null : tx.json(plain(before)),
    after: after === null ? null : tx.json(plain(after)),
  };
  await tx`insert into audit_log ${tx(row)}`;
}

function changedFields({
  before,
  after,
}: Pick<Change, 'before' | 'after'>): Pick<Change, 'before' | 'after'> {
  if (before === null || after === null) return { before, after };
  const [was, is] = [plain(before), plain(after)];
  const names = [...new Set([...Object.keys(was), ...Object.keys(is)])];
  const changed = names.filter((name) => !isDeepStrictEqual(was[name], is[name]));
  const pick = (fields: Plain) => Object.fromEntries(changed.map((name) => [name, fields[name] ?? null]));
  return { before: pick(was), after: pick(is) };
}

type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

type Plain = { [name: string]: Json };

/** Returns the fields as JSON has them: dates as texts, and nothing undefined. */
function plain(fields: AuditedFields): Plain {
  return JSON.parse(JSON.stringify(fields)) as Plain; // What JSON.parse returns for the JSON of an object.
}

type Forgotten = { kind: 'service' | 'reporter'; id: string; name: string };

/** Returns what writes the row of the audit log when a service or reporter of a page is forgotten. */
export function recordForgotten(
  pageId: PageId,
  by: Actor,
): (tx: Transaction, source: Forgotten, now: number) => Promise<void> {
  return (tx, { kind, id, name }, now) =>
    recordChange(
      tx,
      { by, now },
      {
        pageId,
        action: 'reporter.forget',
        target: { type: 'reporter', id, name },
        before: { kind, name },
        after: null,
      },
    );
}
