import type { Clock } from '../../lib/clock.js';
import type { PageId } from '../../lib/ids.js';
import { ServiceError } from '../../lib/service-error.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import type { SourceKind } from './names.js';

/** A service or reporter of a page, by its name or id. */
export type SourceRef = { kind: SourceKind; id: string };

type Deps = {
  sql: Sql;
  clock: Clock;
  /** Writes the row of the audit log; `name` is what people call the source. */
  record(tx: Transaction, source: SourceRef & { name: string }, now: number): Promise<void>;
  /** Whether a source has reported after a moment. */
  hasReportedSince(source: SourceRef, at: Date): Promise<boolean>;
};

/**
 * Removes a service or reporter from the lists of a page until it reports again. Its figures stay as long as all others,
 * and its row keeps its place within the limit of the page: it may be on its way back.
 *
 * @throws ServiceError `notFound` when the page does not list it.
 */
export async function forgetSource(
  { sql, clock, record, hasReportedSince }: Deps,
  pageId: PageId,
  { kind, id }: SourceRef,
): Promise<void> {
  const [known] = await sql<{ forgottenAt: Date | null }[]>`
    select forgotten_at as "forgottenAt" from sources
    where page_id = ${pageId} and kind = ${kind} and source = ${id}`;
  const forgottenAt = known?.forgottenAt ?? null;
  const isListed =
    known !== undefined && (forgottenAt === null || (await hasReportedSince({ kind, id }, forgottenAt)));
  if (!isListed) throw unknownSource({ kind, id });
  await inTransaction(sql, async (tx) => {
    const now = clock.now();
    const [row] = await tx<{ name: string | null }[]>`
      update sources set forgotten_at = ${new Date(now)}
      where page_id = ${pageId} and kind = ${kind} and source = ${id}
        and forgotten_at is not distinct from ${forgottenAt}
      returning name`;
    // Somebody else was faster.
    if (row === undefined) throw unknownSource({ kind, id });
    await record(tx, { kind, id, name: row.name ?? id }, now);
  });
}

function unknownSource({ kind, id }: SourceRef): ServiceError {
  return new ServiceError('notFound', { message: `The page has no ${kind} "${id}".` });
}
