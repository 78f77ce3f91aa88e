import type { Sql } from '../../sql/open-postgres.js';

/** Rows that wait to be copied because they changed, or because all rows are copied again; `oldest` is the first that was noted. */
export type WaitingCopies = { reason: 'change' | 'repeat'; waiting: number; oldest: Date | null };

/** Counts the rows that wait to be copied, by why they wait. */
export function loadWaitingCopies(sql: Sql): PromiseLike<WaitingCopies[]> {
  return sql<WaitingCopies[]>`
    select reason, count(change)::integer as waiting, min(noted_at) as oldest
    from (values ('change', false), ('repeat', true)) as reasons (reason, is_repeat)
      left join (
        select change, noted_at, change >= (select seqstart from pg_sequence where seqrelid = 'copies_repeats'::regclass)
          as is_repeat
        from copies_due) due using (is_repeat)
    group by reason order by reason`;
}
