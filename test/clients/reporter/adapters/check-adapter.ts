import { once } from 'node:events';
import { Agent, type IncomingMessage, request, type Server } from 'node:http';
import type { Socket } from 'node:net';
import type { RequestEvent } from '@heartline/reporter';
import type { Test } from 'tap';
import {
  createRecorder,
  createStage,
  listen,
  type Recorder,
  type Stage,
  send,
  sendAndHangUp,
} from './support.js';

/** The contract of the routes of an application under test. */
export type Under = {
  reporter: Recorder['reporter'];
  stage: Stage;
  /** Passed on to the adapter. */
  options: { messages?: boolean };
};

/**
 * An application with these routes, all below `/shops/:shop` in a router of its own:
 *
 * - `GET /items/:item` answers 200, `POST /items` 201
 * - `GET /fail` throws an error with the message `The till is stuck.`
 * - `GET /hang` calls `stage.arrive()` and never answers
 * - `GET /stream` sends `one`, calls `stage.arrive()`, waits for `stage.held()` and sends `two`
 *
 * It has the adapter installed twice.
 */
export type Application = (under: Under) => Promise<Server> | Server;

type Expected = { endpoint: string; method: string; status: number };

/** Checks that an adapter counts each request once, with the template, whatever becomes of it. */
export async function checkAdapter(
  t: Test,
  application: Application,
  { mount = '/shops/:shop' } = {},
): Promise<void> {
  const recorder = createRecorder();
  const stage = createStage();
  const server = await application({ reporter: recorder.reporter, stage, options: {} });
  const url = await listen(t, server);
  const path = `${url}/shops/s42`;
  const expected = (rest: string, status: number, method = 'GET') => ({
    endpoint: mount + rest,
    method,
    status,
  });
  const counted = async (t: Test, ...wanted: Expected[]) => {
    const events = await recorder.take(wanted.length);
    t.strictSame(events.map(essence), wanted);
    for (const event of events)
      t.strictSame(
        Object.keys(JSON.parse(JSON.stringify(event))).sort(),
        ['endpoint', 'method', 'ms', 'status'],
        'and nothing else',
      );
    return events;
  };

  await t.test('counts answers by the template', async (t) => {
    t.equal(await send(`${path}/items/i7?token=secret#x`), 200);
    await counted(t, expected('/items/:item', 200));
    t.equal(await send(`${path}/items`, { method: 'POST' }), 201);
    await counted(t, expected('/items', 201, 'POST'));
    await send(`${path}/items/i7`, { method: 'HEAD' });
    await counted(t, expected('/items/:item', 200, 'HEAD'));
  });

  await t.test('counts what no route takes as unmatched', async (t) => {
    t.equal(await send(`${url}/nowhere/s42`), 404);
    t.equal(await send(`${path}/nowhere/i7`), 404);
    const unmatched = { endpoint: 'unmatched', method: 'GET', status: 404 };
    await counted(t, unmatched, unmatched);
    const status = await send(`${url}/nowhere`, { method: 'OPTIONS' });
    await counted(t, { endpoint: 'unmatched', method: 'OPTIONS', status });
  });

  await t.test('counts an error as it is answered, without its message', async (t) => {
    t.equal(await send(`${path}/fail`), 500);
    await counted(t, expected('/fail', 500));
  });

  await t.test('counts what the client does not wait for as 499', async (t) => {
    await sendAndHangUp(`${path}/hang`, stage);
    await counted(t, expected('/hang', 499));
    await sendAndHangUp(`${path}/stream`, stage);
    await counted(t, expected('/stream', 499));
    stage.release();
  });

  await t.test('counts a stream at its end', async (t) => {
    const sending = request(`${path}/stream`).end();
    const [response] = (await once(sending, 'response')) as [IncomingMessage];
    await once(response, 'data');
    await stage.arrived();
    const heldMs = 30;
    const before = performance.now();
    let others = 0;
    for (; performance.now() - before < heldMs; others += 1) await send(`${path}/items/i1`);
    const events = await recorder.take(others);
    t.ok(
      events.every(({ endpoint }) => endpoint === `${mount}/items/:item`),
      'not before',
    );
    stage.release();
    await once(response.resume(), 'end');
    const [event] = await counted(t, expected('/stream', 200));
    t.ok((event?.ms ?? 0) >= heldMs, 'with the time of the whole');
  });

  await t.test('leaves nothing behind on a connection', async (t) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    t.teardown(() => agent.destroy());
    const sockets = new Set<Socket>();
    server.on('connection', (socket) => sockets.add(socket));
    const counts: number[] = [];
    const rounds = 20;
    for (let i = 0; i < rounds; i += 1) {
      await send(`${path}/items/i${i}`, { agent });
      counts.push([...sockets].reduce((sum, socket) => sum + countListeners(socket), 0));
    }
    t.equal(sockets.size, 1);
    t.equal(counts.at(-1), counts[2], `listeners: ${counts}`);
    await recorder.take(rounds);
  });

  t.strictSame(recorder.events, [], 'nothing is counted twice');

  await t.test('adds the message of an error when asked to', async (t) => {
    const recorder = createRecorder();
    const under = { reporter: recorder.reporter, stage, options: { messages: true } };
    const url = await listen(t, await application(under));
    await send(`${url}/shops/s42/fail`);
    const [event] = await recorder.take(1);
    t.match(event, { ...expected('/fail', 500), message: 'The till is stuck.' });
  });
}

function countListeners(socket: Socket): number {
  return socket.eventNames().reduce((sum, name) => sum + socket.listenerCount(name), 0);
}

export function essence({ endpoint, method = 'GET', status }: RequestEvent): Expected {
  return { endpoint, method, status };
}
