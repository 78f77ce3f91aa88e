import { once } from 'node:events';
import { Agent, createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { incidentLimits } from '../../../contract/incidents.js';
import { seeded } from '../../support/batches.js';
import { type Ask, createAsk, type Tally } from '../ask.js';
import type { Tenant } from '../tenants.js';
import { type Attack, inParallel } from './attack.js';

/** Together the keys of the page may send this many requests a second; the attacker keeps to that. */
const writesPerSecond = 10;
const writers = 5;
/** With the summary these fill an incident; the last one resolves it, because open ones have a bound together. */
const updatesPerIncident = 9;
const readers = 8;
const readEveryMs = 1_000;

/** A page with ten webhooks posts the longest updates as fast as its keys may, and many read what it publishes. */
export const incidents: Attack = {
  title: 'incident keys',
  async run({ url, tenants, ports }, signal, tally) {
    const [loud] = tenants.loud;
    if (loud === undefined) return;
    const receiver = await startReceiver(ports.webhookPort, tally);
    const agent = new Agent({ keepAlive: true });
    const ask = createAsk(url, agent);
    const write = createWriter(ask, loud, tally);
    const reads = [`/api/public/${loud.slug}/incidents`, '/', '/history', '/feed.json'];
    let turn = 0;
    const read = async (): Promise<void> => {
      const asked = ask({ path: reads[turn++ % reads.length] ?? '/', host: loud.host });
      await Promise.all([
        asked.then(({ status }) => tally.add(`read ${status}`)),
        pause(readEveryMs, signal),
      ]);
    };
    try {
      await Promise.all([
        inParallel(writers, signal, () =>
          Promise.all([write(), pause((1_000 * writers) / writesPerSecond, signal)]),
        ),
        inParallel(readers, signal, read),
      ]);
    } finally {
      agent.destroy();
      receiver.close();
      receiver.closeAllConnections();
    }
  },
};

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return sleep(ms, undefined, { signal }).catch(() => undefined);
}

async function startReceiver(port: number, tally: Tally) {
  const receiver = createServer((req, res) => {
    req.on('data', (part: Buffer) => tally.add('bytes to webhooks', part.length));
    req.on('end', () => {
      tally.add('deliveries');
      res.end();
    });
  });
  await once(receiver.listen(port, '127.0.0.1'), 'listening');
  return receiver;
}

/** Opens an incident, fills it with updates, resolves it, and goes on with the next one. */
function createWriter(ask: Ask, { incidentKeys }: Tenant, tally: Tally): () => Promise<void> {
  const random = seeded(1);
  let turn = 0;
  let opened: Promise<string> | undefined;
  let updates = 0;

  async function open(key: string | undefined): Promise<string> {
    const summary = textOf(incidentLimits.textChars, random);
    const body = { title: 'Loud', summary, startedAt: new Date().toISOString() };
    const { status, text } = await ask({ method: 'POST', path: '/api/v1/incidents', key, body });
    tally.add(`opened ${status}`);
    if (status === 201) tally.add('posted', summary.length);
    return /"id":"([^"]+)"/.exec(text)?.[1] ?? 'none';
  }

  return async () => {
    const key = incidentKeys[turn++ % incidentKeys.length];
    if (updates % updatesPerIncident === 0) opened = open(key);
    updates += 1;
    const status = updates % updatesPerIncident === 0 ? 'resolved' : 'identified';
    const path = `/api/v1/incidents/${await opened}/updates`;
    const body = textOf(incidentLimits.textChars, random);
    const answer = await ask({ method: 'POST', path, key, body: { body, status } });
    tally.add(`update ${answer.status}`);
    if (answer.status === 201) tally.add('posted', body.length);
  };
}

const marks = ['*', '**', '[', '](', '`', '> ', '\n- ', '\n\n', ' ', ' ', ' '];

/** Markdown that hardly compresses: random words between marks. */
function textOf(chars: number, random: () => number): string {
  let text = '';
  while (text.length < chars) {
    text += random().toString(36).slice(2) + (marks[Math.floor(random() * marks.length)] ?? '');
  }
  return text.slice(0, chars);
}
