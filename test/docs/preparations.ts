import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { minuteMs } from '../../lib/times.js';
import { waitUntil } from '../support/wait-until.js';
import type { Installation, Keys } from './installation.js';

type Site = {
  installation: Installation;
  heartline(...args: string[]): Promise<unknown>;
  /** Keys of the page `acme`. */
  keys: Keys;
};

/** Brings the service into the state of the block that begins with `starts`. `prepare` may return the answer in the block. */
export type Preparation = { page: string; starts: string; prepare(site: Site): Promise<unknown> };

const waitMsMax = 60_000;

async function sendFailure({ installation, keys }: Site, failure: object): Promise<void> {
  await fetch(new URL('/api/v1/events', installation.url), {
    method: 'POST',
    headers: { authorization: `Bearer ${keys.ingest}` },
    body: JSON.stringify({ version: '2.4.1', events: [{ service: 'shop', endpoint: '/pay', ...failure }] }),
  });
}

export const preparations: readonly Preparation[] = [
  {
    page: 'docs/api.md',
    starts: '{"keptFrom": null, "notKept": null, "groups": [\n {"message": "card 9',
    prepare: (site) => sendFailure(site, { status: 503, message: 'card 7 refused after 2ms' }),
  },
  {
    page: 'docs/api.md',
    starts: '{"keptFrom": null, "notKept": null, "samples"',
    prepare: (site) =>
      sendFailure(site, {
        ...{ status: 502, errorType: 'TypeError', message: 'no price for 4711' },
        ...{
          traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
          spanId: '00f067aa0ba902b7',
          stack: 'TypeError: at pay',
        },
        attributes: { region: 'eu' },
      }),
  },
  {
    page: 'docs/api.md',
    starts: '{"slug": "acme", "lastChecked"',
    async prepare({ installation, heartline }) {
      const now = Date.now();
      const checks = Array.from({ length: 180 }, (_, index) => ({
        ...{ monitor: 'api', at: new Date(now - (index + 1) * minuteMs).toISOString() },
        ...{ up: index > 20, ms: 80 + index },
      }));
      const file = join(installation.folder, 'history.ndjson');
      await writeFile(file, checks.map((check) => `${JSON.stringify(check)}\n`).join(''));
      await heartline('checks', 'import', '--page', 'acme', '--file', file);
      // The service runs the job each minute, too; a run that began before the import may not have seen the checks.
      await waitUntil(
        'the job has run',
        () => runsNow(heartline('jobs', 'run', 'compute-points')),
        waitMsMax,
      );
    },
  },
  {
    page: 'docs/api.md',
    starts: '{"slug": "acme", "incidents"',
    async prepare({ installation, heartline, keys }) {
      const listed = await heartline('incident', 'list', '--page', 'acme');
      const [incident] = (listed as { incidents: { id: string }[] }).incidents;
      const update = { body: 'A full disk.', status: 'identified' };
      await post(installation, keys, `/api/v1/incidents/${incident?.id}/updates`, update);
    },
  },
  {
    page: 'docs/database-health.md',
    starts: 'curl https://heartline.example.com/api/v1/database-health/observations',
    // The block before switches database health on, which the service sees within about a second.
    async prepare({ installation, keys }) {
      const url = new URL('/api/v1/analytics/database-health', installation.url);
      const headers = { authorization: `Bearer ${keys.read}` };
      const isOn = async () => (await fetch(url, { headers })).status !== 404;
      await waitUntil('database health is switched on', isOn, waitMsMax);
    },
  },
  {
    page: 'docs/email.md',
    starts: 'heartline subscriber emails',
    async prepare({ installation, heartline, keys }) {
      installation.mail.refuse = () => '550 5.1.1 No such user';
      await openIncident(installation, keys);
      await waitUntil(
        'an email is refused',
        async () => {
          const listed = await heartline('subscriber', 'emails', '--page', 'acme', '--state', 'parked');
          return (listed as { emails: unknown[] }).emails.length > 0;
        },
        waitMsMax,
      );
      installation.mail.refuse = () => undefined;
    },
  },
  {
    page: 'docs/channels.md',
    starts: '{"type": "channel.test"',
    async prepare({ installation, heartline }) {
      const url = `${installation.receiver.url}/program`;
      const channel = await heartline(
        'channel',
        'create',
        '--page',
        'acme',
        '--kind',
        'webhook',
        '--url',
        url,
      );
      await heartline('channel', 'test', (channel as { id: string }).id);
      const find = () => installation.receiver.received.find(({ path }) => path === '/program');
      await waitUntil('the program is called', () => find() !== undefined, waitMsMax);
      return JSON.parse(find()?.body ?? '');
    },
  },
  {
    page: 'docs/webhooks.md',
    starts: '{"type": "incident.created"',
    async prepare({ installation, keys }) {
      await openIncident(installation, keys);
      const find = () => installation.receiver.received.find(({ body }) => body.includes('incident.created'));
      await waitUntil('the webhook is called', () => find() !== undefined, waitMsMax);
      return JSON.parse(find()?.body ?? '');
    },
  },
];

async function openIncident(installation: Installation, keys: Keys): Promise<void> {
  const incident = { title: 'A full disk', summary: 'Writes fail.', startedAt: new Date().toISOString() };
  await post(installation, keys, '/api/v1/incidents', incident);
}

async function post({ url }: Installation, keys: Keys, path: string, body: object): Promise<void> {
  const { status } = await fetch(new URL(path, url), {
    method: 'POST',
    headers: { authorization: `Bearer ${keys.incident}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (status !== 201) throw new Error(`${path} was answered with ${status}.`);
}

/** Whether a job ran: it does not while the service runs it. */
async function runsNow(run: Promise<unknown>): Promise<boolean> {
  try {
    await run;
    return true;
  } catch (error) {
    if (!String(error).includes('is running on another instance')) throw error;
    return false;
  }
}
