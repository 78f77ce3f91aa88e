import { createServer } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { startCopyLoop } from '../../control/copies/index.js';
import type { Log } from '../../lib/log.js';
import { type ClickHouseClient, openClickHouse } from '../../sql/open-clickhouse.js';
import { openPostgres } from '../../sql/open-postgres.js';
import { atLocalPort, connectTo } from '../support/tcp-gate.js';

/** An insert of copies begins or has ended; the process is about to suspend itself; or the loop failed, or copies all rows again. */
export type CopiesEvent = { event: 'begun' | 'ended' | 'suspending' } | { event: 'complaint'; text: string };

/** Steps of a copy at which the process ends: behind the version, the rows, the insert, and the deletion of the notes. */
export type CopyStep = 'version' | 'read' | 'inserted' | 'forgotten';

/** Starts of the messages to PostgreSQL with which the next step begins. */
const messages = { version: /order by copies_due\.change/, forgotten: /commit/i };

/**
 * Runs the loop that copies rows, in a process of its own, until it is killed or its parent is gone. The arguments are the databases,
 * a step, and the signal that the process sends itself at the first time there.
 */
const [databaseUrl = '', clickhouseUrl = '', step = '', signal = 'SIGKILL'] = process.argv.slice(2);
const tell = (event: CopiesEvent) => process.send?.(event);
let isInserted = false;
let isStopped = false;

async function reach(reached: CopyStep): Promise<void> {
  if (step !== reached || isStopped) return;
  isStopped = true;
  if (signal === 'SIGSTOP') {
    await new Promise<void>((resolve) => process.send?.({ event: 'suspending' }, () => resolve()));
  }
  process.kill(process.pid, signal);
  // The signal arrives meanwhile.
  await wait(100);
}

/** Forwards what goes to PostgreSQL, except behind the step at which the process ends. */
async function openWatchedPostgres(): Promise<string> {
  const server = createServer((client) => {
    const upstream = connectTo(databaseUrl);
    client.on('data', (bytes: Buffer) => {
      const text = bytes.toString('latin1');
      if (messages.version.test(text)) void reach('version');
      if (isInserted && messages.forgotten.test(text)) void reach('forgotten');
      if (!isStopped) upstream.write(bytes);
    });
    upstream.pipe(client);
    for (const socket of [client, upstream]) {
      socket.on('error', () => socket.destroy());
      socket.on('close', () => {
        client.destroy();
        upstream.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has a port.');
  return atLocalPort(databaseUrl, address.port);
}

function watchInserts(client: ClickHouseClient): ClickHouseClient {
  async function insert(...[{ abort_signal: _, ...lasting }]: Parameters<ClickHouseClient['insert']>) {
    tell({ event: 'begun' });
    await reach('read');
    const result = await client.insert(lasting);
    await reach('inserted');
    isInserted = true;
    tell({ event: 'ended' });
    return result;
  }
  return new Proxy(client, {
    get: (target, name) => (name === 'insert' ? insert : Reflect.get(target, name, target)),
  });
}

const complain = (fields: object, text?: string) =>
  void tell({ event: 'complaint', text: `${text} ${'err' in fields ? fields.err : ''}` });
const log: Log = { debug() {}, info: complain, warn: complain, error: complain };

process.on('disconnect', () => process.exit());
const url = step === 'version' || step === 'forgotten' ? await openWatchedPostgres() : databaseUrl;
startCopyLoop({
  sql: openPostgres(url, { max: 2 }),
  clickhouse: watchInserts(openClickHouse(clickhouseUrl, { max: 2 })),
  clock: { now: Date.now },
  log,
});
