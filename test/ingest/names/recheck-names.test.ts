import t from 'tap';
import { createNameRegistry } from '../../../ingest/names/name-registry.js';
import { countingSql } from '../../support/counting-sql.js';
import { makeStoppedClock } from '../../support/moving-clock.js';
import { makePage } from '../../support/pages.js';
import { openTestPostgres } from '../../support/stores.js';
import { waitUntil } from '../../support/wait-until.js';

t.test(
  'names that another process deleted leave memory after ten minutes, and the others stay',
  async (t) => {
    const { sql } = await openTestPostgres(t);
    const counting = countingSql(sql);
    const clock = makeStoppedClock();
    const registry = createNameRegistry({ sql: counting.sql, clock });
    const { id } = await makePage(sql);
    const names = registry.names(id);
    await registry.register(names, {
      endpoints: new Set(['/kept', '/pruned']),
      services: new Set(['kept', 'pruned']),
    });
    const reporter = { reporterId: 'r', englishName: 'As first sent' };
    const other = { reporterId: 'other', englishName: 'Other', service: 'kept' };
    const moved = { reporterId: 'moved', englishName: 'Moved', service: 'kept' };
    await registry.reporter(id, moved);
    await registry.reporter(id, reporter);
    await registry.reporter(id, other);
    await sql`DELETE FROM endpoints WHERE endpoint = '/pruned'`;
    await sql`DELETE FROM sources WHERE source = 'pruned'`;
    await sql`UPDATE sources SET name = 'As sent to another instance' WHERE source = 'r'`;
    await sql`UPDATE sources SET service = 'elsewhere' WHERE source = 'moved'`;

    clock.advance(599_000);
    const asked = counting.count();
    registry.names(id);
    t.equal(counting.count(), asked, 'not yet');

    clock.advance(1_000);
    registry.names(id);
    await waitUntil('the removed endpoint is let go of', () => !names.endpoints.has('/pruned'));
    t.strictSame([...names.endpoints.keys()], ['/kept']);
    t.strictSame([...names.services.keys()], ['kept']);
    t.strictSame([...names.reporters.keys()], ['other']);
    await registry.reporter(id, reporter);
    t.match(await sql`SELECT name FROM sources WHERE source = 'r'`, [{ name: 'As first sent' }]);
  },
);
