import type { Sql } from '../../sql/open-postgres.js';
import { applySilences } from './silences.js';

/**
 * Notes which open alerts a silence covers, and which are held back by something that they depend on and that is in trouble: a
 * monitor or rule that their rule names, a monitor that their own monitor depends on, and whatever those monitors depend on.
 * An alert that was told already is not held back any more. `now` is in milliseconds since the epoch.
 */
export async function holdBack(sql: Sql, now: number): Promise<void> {
  await applySilences(sql, { now });
  await sql`
    update alerts a set held_by = found.held_by
    from (
      select o.id, coalesce(
        (
          with recursive ahead (slug) as (
            select one ->> 'monitor' from jsonb_array_elements(r.depends_on) one where one ? 'monitor'
            union
            select unnest(m.depends_on) from monitors m
            where o.kind = 'monitor' and m.page_id = o.page_id and m.slug = o.group_key
            union
            select unnest(m.depends_on) from ahead join monitors m on m.page_id = o.page_id and m.slug = ahead.slug
          )
          select m.name from ahead join monitors m on m.page_id = o.page_id and m.slug = ahead.slug
          where m.state = 'down' and m.paused_at is null order by m.state_since, m.slug limit 1
        ), (
          select b.name from jsonb_array_elements(r.depends_on) one
            join rules b on b.page_id = o.page_id and b.slug = one ->> 'rule'
          where exists (select 1 from rule_groups g where g.rule_id = b.id and g.state = 'firing')
          limit 1
        )) as held_by
      from alerts o join rules r on r.id = o.rule_id
      where o.resolved_at is null and o.told_at is null) found
    where a.id = found.id and a.resolved_at is null and a.told_at is null and a.held_by is distinct from found.held_by`;
}
