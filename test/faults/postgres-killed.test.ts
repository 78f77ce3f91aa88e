import t from 'tap';
import { waitUntil } from '../support/wait-until.js';
import { checkAccounts } from './accounting.js';
import { startLoad, untilStored } from './load.js';
import { acknowledgers, install, onLinux } from './running-service.js';

for (const from of acknowledgers) {
  t.test(
    `PostgreSQL killed under load (${from}): the log takes known names, PostgreSQL nothing`,
    onLinux,
    async (t) => {
      const { service, ingestKey } = await install(t, {}, { from });
      const load = startLoad(t, () => service.url, ingestKey);
      for (let kill = 1; kill <= 2; kill += 1) {
        // More batches than endpoints, so that each name is known.
        await load.untilAccepted(100);
        const killed = await service.postgresPid();
        process.kill(killed, 'SIGKILL');
        await load.untilAccepted(50);
        await waitUntil('PostgreSQL answers again', async () => (await fetch(`${service.url}/readyz`)).ok);
        t.not(await service.postgresPid(), killed);
      }
      t.equal(await postNewName(service.url, ingestKey), 202, 'and new names are taken again');
      await load.untilAccepted(50);
      await load.end();

      const expected = from === 'log' ? [202] : [202, 503];
      const others = load.sent.filter(({ status }) => status === undefined || !expected.includes(status));
      t.strictSame(others, [], `every batch was answered with ${expected.join(' or ')}`);
      await untilStored(service, ingestKey);
      await checkAccounts(t, service.clickhouseUrl, load.sent);
    },
  );
}

async function postNewName(url: string, ingestKey: string): Promise<number> {
  const answer = await fetch(`${url}/api/v1/events`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ingestKey}`, 'content-type': 'application/json' },
    body: JSON.stringify([{ service: 'new', endpoint: '/new', status: 200 }]),
  });
  return answer.status;
}
