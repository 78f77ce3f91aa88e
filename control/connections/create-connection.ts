import { type Engine, observationLimits } from '../../contract/observations.js';
import { parseAlias, problemOfAlias } from '../../lib/alias.js';
import type { Clock } from '../../lib/clock.js';
import { ControlError } from '../../lib/control-error.js';
import { type ConnectionId, newId, type PageId } from '../../lib/ids.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql } from '../../sql/open-postgres.js';
import type { Connection } from './connection.js';

type Input = { slug: string; engine: Engine; name: string };

/**
 * Saves a connection of the page with this slug, for observations to name.
 *
 * @throws ControlError when there is no such page, it has too many connections, the name is taken, or it is no
 *   alias; the message does not repeat a name that may be a secret.
 */
export async function createConnection(
  { sql, clock }: { sql: Sql; clock: Clock },
  { slug, engine, name: given }: Input,
): Promise<Connection> {
  const problem = problemOfAlias(given);
  if (problem !== undefined) throw new ControlError(`The name ${problem}`);
  const name = parseAlias('/name', given);
  return inTransaction(sql, async (tx) => {
    const [page] = await tx<{ id: PageId }[]>`select id from pages where slug = ${slug} for no key update`;
    if (page === undefined) throw new ControlError(`There is no page with the slug "${slug}".`);
    const [known] = await tx<{ count: number; taken: number }[]>`
      select count(*)::integer as count, count(*) filter (where name = ${name})::integer as taken
      from connections where page_id = ${page.id}`;
    const { count = 0, taken = 0 } = known ?? {};
    if (taken > 0) throw new ControlError(`The page "${slug}" has a connection named "${name}" already.`);
    if (count >= observationLimits.connectionsPerPage) {
      throw new ControlError(`The page has ${count} connections, which is the most; delete one first.`);
    }
    const now = clock.now();
    const connection = { id: newId<ConnectionId>(now), engine, name, createdAt: new Date(now) };
    await tx`
      insert into connections (id, page_id, engine, name, created_at)
      values (${connection.id}, ${page.id}, ${engine}, ${name}, ${connection.createdAt})`;
    return connection;
  });
}
