import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';
import type { Incident } from '../../contract/incidents.js';
import { openPostgres } from '../../sql/open-postgres.js';
import { untilDelivered } from '../support/log-files.js';
import { runHeartline } from '../support/run-heartline.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { waitUntil } from '../support/wait-until.js';
import { checkAccounts } from './accounting.js';
import { startLoad } from './load.js';
import { install, serveIn } from './running-service.js';

t.test('a backup ends while events and incidents are written, and restores to one moment', async (t) => {
  const { dataDir, ingestKey, incidentKey, service } = await install(t);
  const load = startLoad(t, () => service.url, ingestKey);
  const incidents = startIncidents(t, service.url, incidentKey);
  await load.untilAccepted(50);
  await waitUntil('incidents are written', () => incidents.resolved.length >= 2);
  const folder = await temporaryFolder(t);
  const [directory, restored] = [join(folder, 'backup'), join(folder, 'data')];

  const acceptedBefore = new Set(load.sent.filter(({ status }) => status === 202).map(({ batch }) => batch));
  const resolvedBefore = [...incidents.resolved];
  const made = await runHeartline(
    ['backup', directory, '--json'],
    { HEARTLINE_DATA_DIR: dataDir },
    { timeoutMs: 120_000 },
  );
  t.equal(made.code, 0, made.stderr);
  const acceptedDuring = load.count(202) - acceptedBefore.size;
  t.ok(
    acceptedDuring > 0 && incidents.resolved.length > resolvedBefore.length,
    'both were written meanwhile',
  );
  await load.untilAccepted(20);
  await load.end();
  await incidents.end();
  t.strictSame(incidents.failures, [], 'nothing that was written failed');
  t.equal(load.count(202), load.sent.length, 'every batch was accepted');
  process.kill(service.pid, 'SIGTERM');
  await service.exited;

  t.match(await runHeartline(['restore', directory], { HEARTLINE_DATA_DIR: restored }), { code: 0 });
  const second = await serveIn(t, restored);
  await untilDelivered(second.logDir);
  // Everything from before the backup is there. A later change is there whole, or not at all.
  await checkAccounts(
    t,
    second.clickhouseUrl,
    load.sent.map((outcome) =>
      acceptedBefore.has(outcome.batch)
        ? outcome
        : { batch: outcome.batch, sentAt: outcome.sentAt, attempts: outcome.attempts },
    ),
  );
  await checkIncidents(t, second.databaseUrl, { before: resolvedBefore, all: incidents.opened });
});

type Incidents = {
  /** The ids in the order in which they were opened, and in which they were resolved with an update. */
  opened: readonly string[];
  resolved: readonly string[];
  failures: readonly string[];
  end(): Promise<void>;
};

/** Opens an incident and resolves it with an update, one after another. */
function startIncidents(t: Test, url: string, key: string): Incidents {
  const opened: string[] = [];
  const resolved: string[] = [];
  const failures: string[] = [];
  let isOver = false;
  const send = async (path: string, body: object): Promise<Incident | undefined> => {
    const answer = await fetch(`${url}/api/v1/incidents${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    // The rate of a key is bounded.
    if (answer.status === 429) return undefined;
    if (!answer.ok) failures.push(`${answer.status} ${await answer.text()}`);
    return answer.ok ? ((await answer.json()) as Incident) : undefined;
  };
  const write = async (): Promise<void> => {
    for (let at = 0; !isOver && failures.length === 0; at += 1) {
      const incident = await send('', {
        ...{ title: `Incident ${at}`, summary: 'Nothing works.', startedAt: '2026-01-31T22:58:00Z' },
      });
      // Two requests each half a second stay below the rate of a key for as long as a backup takes.
      await sleep(500);
      if (incident === undefined) continue;
      opened.push(incident.id);
      const update = await send(`/${incident.id}/updates`, { status: 'resolved', body: `It works ${at}.` });
      if (update !== undefined) resolved.push(incident.id);
    }
  };
  const written = write().catch((error: unknown) => {
    failures.push(String(error));
  });
  t.teardown(() => {
    isOver = true;
  });
  return {
    ...{ opened, resolved, failures },
    async end() {
      isOver = true;
      await written;
    },
  };
}

/** Whatever the moment of the backup: its incidents are the first ones, and each has what was announced of it. */
async function checkIncidents(
  t: Test,
  databaseUrl: string,
  { before, all }: { before: readonly string[]; all: readonly string[] },
): Promise<void> {
  const sql = openPostgres(databaseUrl);
  try {
    const rows = await sql<{ id: string; isResolved: boolean; updates: number; audited: number }[]>`
      select i.id, i.resolved_at is not null as "isResolved",
        (select count(*)::int from incident_updates u where u.incident_id = i.id) as updates,
        (select count(*)::int from audit_log a where a.target_id = i.id::text) as audited
      from incidents i where i.title like 'Incident %' order by i.published_at, i.id`;
    const ids = rows.map(({ id }) => id);
    t.strictSame(ids, all.slice(0, ids.length), 'the incidents up to one moment');
    t.strictSame(
      before.filter((id) => !ids.includes(id)),
      [],
      'the batches from before the backup are there',
    );
    t.strictSame(
      rows.filter(({ isResolved, updates }) => updates !== (isResolved ? 1 : 0)),
      [],
      'an incident is resolved with its update',
    );
    t.strictSame(
      rows.filter(({ audited }) => audited === 0),
      [],
      'every incident is in the audit log',
    );
  } finally {
    await sql.end({ timeout: 1 });
  }
}
