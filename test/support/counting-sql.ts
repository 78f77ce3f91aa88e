import type { Sql } from '../../sql/open-postgres.js';

/** Returns the pool with a count of its queries. */
export function countingSql(sql: Sql): { sql: Sql; count(): number } {
  let asked = 0;
  const counting = new Proxy(sql, {
    apply(target, self, args) {
      asked += 1;
      return Reflect.apply(target, self, args);
    },
  });
  return { sql: counting, count: () => asked };
}
