import t, { type Test } from 'tap';
import { waitUntil } from '../support/wait-until.js';
import { checkAccounts } from './accounting.js';
import { type Load, type Sent, startLoad, untilStored } from './load.js';
import { acknowledgers, install, onLinux, signalServers } from './running-service.js';

/** A new name waits 10 s, a key that is not in memory 3 s; a busy machine may take as long again. */
const secondsMax = { newName: 20, newKey: 6, log: 5, PostgreSQL: 20 };
/** The log needs no store. */
const answers = { log: [202], PostgreSQL: [202, 503] };
const unseenKey = `key_ingest_${'A'.repeat(43)}`;

for (const from of acknowledgers) {
  t.test(`stores that hang, one and both (${from})`, onLinux, async (t) => {
    const { service, ingestKey } = await install(t, {}, { from });
    const postNewName = (key = ingestKey) => post(service.url, key);
    const isAnswered = ({ status = 0 }: Sent) => answers[from].includes(status);

    let before: Load['sent'] = [];
    await t.test('PostgreSQL suspended: the log takes known names, others get 503', async (t) => {
      const load = startLoad(t, () => service.url, ingestKey);
      // More batches than endpoints, so that each name is known.
      await load.untilAccepted(60);
      const postgres = [await service.postgresPid()];
      await signalServers(postgres, 'SIGSTOP');
      const suspendedAt = performance.now();
      const [newName, newKey] = await Promise.all([postNewName(), postNewName(unseenKey)]);
      t.match([newName, newKey], [{ status: 503 }, { status: 503 }], 'what has to be asked for is refused');
      t.ok(newName.seconds < secondsMax.newName && newKey.seconds < secondsMax.newKey, 'in time', {
        found: { newName, newKey },
      });
      if (from === 'PostgreSQL') await checkRefused(t, load, suspendedAt);
      await signalServers(postgres, 'SIGCONT');
      await waitUntil('new names are taken again', async () => (await postNewName()).status === 202);
      await load.untilAccepted(20);
      await load.end();

      t.strictSame(
        load.sent.filter((sent) => !isAnswered(sent) || (sent.seconds ?? Infinity) > secondsMax[from]),
        [],
        `every batch was answered in time, with ${answers[from].join(' or ')}`,
      );
      await untilStored(service, ingestKey);
      await checkAccounts(t, service.clickhouseUrl, load.sent);
      before = load.sent;
    });

    await t.test('both suspended, and then both killed', async (t) => {
      const load = startLoad(t, () => service.url, ingestKey, { firstBatch: before.length });
      await load.untilAccepted(50);
      const both = await Promise.all([service.postgresPid(), service.clickhousePid()]);
      await signalServers(both, 'SIGSTOP');
      // A block in flight may have been stored a moment ago, with late answers.
      const suspendedAt = performance.now();
      if (from === 'PostgreSQL') await checkRefused(t, load, suspendedAt);
      else await load.untilAccepted(100);
      await signalServers(both, 'SIGCONT');
      await load.untilAccepted(50);
      for (const pid of both) process.kill(pid, 'SIGKILL');
      await waitUntil('others run', async () => {
        const now = await Promise.all([service.postgresPid(), service.clickhousePid()]);
        return now.every((pid) => !both.includes(pid));
      });
      await load.untilAccepted(50);
      await load.end();

      t.strictSame(
        load.sent.filter((sent) => !isAnswered(sent)),
        [],
        `every batch was answered with ${answers[from].join(' or ')}`,
      );
      await untilStored(service, ingestKey);
      await checkAccounts(t, service.clickhouseUrl, load.sent, before);
    });
  });
}

async function checkRefused(t: Test, load: Load, since: number): Promise<void> {
  await waitUntil('new ones are refused', () => load.count(503) >= 20, 30_000);
  t.strictSame(
    load.sent.filter(({ sentAt, status }) => sentAt > since && status === 202),
    [],
    'nothing was acknowledged',
  );
}

async function post(url: string, key: string): Promise<{ status: number; seconds: number }> {
  const startedAt = performance.now();
  const { status } = await fetch(`${url}/api/v1/events`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify([{ service: 'new', endpoint: '/new', status: 200 }]),
  });
  return { status, seconds: (performance.now() - startedAt) / 1000 };
}
