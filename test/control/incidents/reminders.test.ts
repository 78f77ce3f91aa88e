import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { createIncident, parseNewIncident, remindOfMaintenance } from '../../../control/incidents/index.js';
import { hourMs } from '../../../lib/times.js';
import { testActor } from '../../support/actor.js';
import { makePage } from '../../support/pages.js';
import { silentLog } from '../../support/silent-log.js';
import { openTestPostgres } from '../../support/stores.js';
import { waitUntil } from '../../support/wait-until.js';

const { sql, databaseUrl } = await openTestPostgres(t);
const begin = Date.parse('2026-06-01T12:00:00.000Z');
const at = (hours: number): string => new Date(begin + hours * hourMs).toISOString();
const depsAt = (hours: number) => ({ sql, clock: { now: () => begin + hours * hourMs }, log: silentLog });

const [pageCount, perPage] = [2, 80];
const count = pageCount * perPage;
for (let page = 0; page < pageCount; page += 1) {
  const { id: pageId } = await makePage(sql, { slug: `page-${page}` });
  for (let i = 0; i < perPage; i += 1) {
    const input = parseNewIncident({
      ...{ type: 'maintenance', title: 'New switches', summary: 'Short interruptions.' },
      ...{ startedAt: at(30), scheduledEndAt: at(31) },
    });
    await createIncident({ ...depsAt(0), by: testActor }, { pageId, input });
  }
}

/** How often each maintenance that has any was reminded of, so many hours before. */
async function countReminders(hours: number): Promise<number[]> {
  const rows = await sql<{ reminders: number }[]>`
    select count(*)::integer as reminders from announcements where reminder_hours = ${hours} group by incident_id`;
  return rows.map(({ reminders }) => reminders);
}
const onceEach = Array.from({ length: count }, () => 1);

t.test('nothing is due a day and a minute before', async (t) => {
  await remindOfMaintenance(depsAt(5.9));
  t.strictSame(await countReminders(24), []);
});

t.test('an instance that is killed leaves what it had not announced to the next one', async (t) => {
  const entry = fileURLToPath(new URL('reminders-process.js', import.meta.url));
  const child = spawn(process.execPath, [entry, databaseUrl, String(begin + 7 * hourMs)], {
    stdio: 'inherit',
  });
  t.teardown(() => child.kill('SIGKILL'));
  const exited = once(child, 'exit');
  await waitUntil('some are announced', async () => (await countReminders(24)).length > 0);
  child.kill('SIGKILL');
  await exited;
  const before = (await countReminders(24)).length;
  t.ok(before < count, `killed after ${before} of ${count}`);
  await remindOfMaintenance(depsAt(7));
  t.strictSame(await countReminders(24), onceEach, 'each is announced, once');
});

t.test('several instances at once announce each once', async (t) => {
  await Promise.all([29.5, 29.5, 29.6].map((hours) => remindOfMaintenance(depsAt(hours))));
  t.strictSame(await countReminders(1), onceEach);
  t.strictSame(await countReminders(24), onceEach, 'and what was announced before is not repeated');
});
