import type { Fragment, Sql, Transaction } from '../../sql/open-postgres.js';

/**
 * Selects what the person is called whose account has this id, as text; null for what is no such id. A person who was
 * deleted has the name that the entry of the deletion kept.
 */
export function personNameOf(sql: Sql | Transaction, isPerson: Fragment, id: Fragment): Fragment {
  return sql`
    case when ${isPerson} and ${id} ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then coalesce(
      (select person.name from users person where person.id = ${id}::uuid),
      (select gone.before ->> 'name' from audit_log gone
        where gone.page_id is null and gone.target_id = ${id} and gone.action = 'user.delete'
        order by gone.id desc limit 1)) end`;
}
