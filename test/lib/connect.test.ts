import { once } from 'node:events';
import { createServer, connect as dial, type LookupFunction, type Socket } from 'node:net';
import { Worker } from 'node:worker_threads';
import t, { type Test } from 'tap';
import { createAddressGuard } from '../../lib/outbound/address-guard.js';
import { type ConnectWatcher, connect } from '../../lib/outbound/connect.js';

const guard = createAddressGuard({ allowPrivateAddresses: true });

function lookupTo(...addresses: string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  return (_hostname, _options, done) => setImmediate(done, null, found);
}

const nothing = { begun() {}, lookedUp() {}, connected() {} } satisfies ConnectWatcher;

/**
 * Listens on 127.0.0.1 with a full queue of connections, so that Linux drops the first packet of another one, and takes
 * that which the client sends a second later once the queue has room.
 */
async function startFullServer(t: Test): Promise<{ port: number; makeRoom(): void }> {
  const room = new Int32Array(new SharedArrayBuffer(4));
  const listen = `
    const { parentPort, workerData } = require('node:worker_threads');
    const server = require('node:net').createServer((socket) => socket.on('error', () => {}));
    server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
      parentPort.postMessage(server.address().port);
      Atomics.wait(workerData, 0, 0);
    });`;
  const worker = new Worker(listen, { eval: true, workerData: room });
  const [port] = await once(worker, 'message');
  const fillers = [dial(port, '127.0.0.1'), dial(port, '127.0.0.1')];
  await Promise.all(
    fillers.map((filler) =>
      once(
        filler.on('error', () => {}),
        'connect',
      ),
    ),
  );
  const makeRoom = (): void => {
    Atomics.store(room, 0, 1);
    Atomics.notify(room, 0);
  };
  t.teardown(async () => {
    makeRoom();
    for (const filler of fillers) filler.destroy();
    await worker.terminate();
  });
  return { port, makeRoom };
}

async function listenOn(t: Test, host: string, port: number): Promise<Socket[]> {
  const taken: Socket[] = [];
  const server = createServer((socket) => taken.push(socket.on('error', () => {})));
  await new Promise<void>((resolve) => server.listen(port, host, resolve));
  t.teardown(() => {
    for (const socket of taken) socket.destroy();
    server.close();
  });
  return taken;
}

t.test('a slow address goes on while the others fail', async (t) => {
  const { port, makeRoom } = await startFullServer(t);
  const watcher = { ...nothing, lookedUp: () => setImmediate(makeRoom) };
  const route = { guard, lookup: lookupTo('127.0.0.1', '127.0.0.2') };
  const socket = await connect(route, { host: 'target.test', port }, { watcher });
  t.equal(socket.remoteAddress, '127.0.0.1');
  socket.destroy();
});

t.test('the next address is tried before a slow one fails', async (t) => {
  const { port } = await startFullServer(t);
  await listenOn(t, '127.0.0.2', port);
  const route = { guard, lookup: lookupTo('127.0.0.1', '127.0.0.2') };
  const socket = await connect(route, { host: 'target.test', port });
  t.equal(socket.remoteAddress, '127.0.0.2');
  socket.destroy();
});

t.test('the signal ends a connection while it is made', async (t) => {
  const { port } = await startFullServer(t);
  const ending = new AbortController();
  const watcher = { ...nothing, lookedUp: () => setImmediate(() => ending.abort(new Error('Enough.'))) };
  const options = { watcher, signal: ending.signal };
  await t.rejects(connect({ guard, lookup: lookupTo('127.0.0.1') }, { host: 'target.test', port }, options), {
    message: 'Enough.',
  });
  const silent = new AbortController();
  const looking = connect(
    { guard, lookup: () => {} },
    { host: 'target.test', port },
    { signal: silent.signal },
  );
  silent.abort(new Error('Too long.'));
  await t.rejects(looking, { message: 'Too long.' });
});

t.test(
  'all addresses pass the guard before the first connection, and the name is looked up once',
  async (t) => {
    const taken = await listenOn(t, '127.0.0.3', 0);
    let lookups = 0;
    const lookup: LookupFunction = (...args) => {
      lookups += 1;
      lookupTo('127.0.0.3', '127.0.0.3', '169.254.169.254')(...args);
    };
    await t.rejects(connect({ guard, lookup }, { host: 'target.test', port: 1 }), {
      name: 'RefusedAddressError',
    });
    t.strictSame({ lookups, taken: taken.length }, { lookups: 1, taken: 0 });
  },
);

t.test('the failure is that of the first address', async (t) => {
  const route = { guard, lookup: lookupTo('127.0.0.4', '127.0.0.5') };
  await t.rejects(connect(route, { host: 'target.test', port: 1 }), {
    code: 'ECONNREFUSED',
    address: '127.0.0.4',
  });
  await t.rejects(connect({ guard, lookup: lookupTo() }, { host: 'target.test', port: 1 }), {
    code: 'ENOTFOUND',
  });
});
