import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import t, { type Test } from 'tap';
import { answerClientErrors } from '../../api/client-errors.js';
import { listen } from '../../api/http-server.js';
import { listenUntilEnd } from '../support/listen.js';
import { lines, openConnection } from '../support/raw-http.js';

/** More than the buffers of both sockets hold, so that the answer is still being sent. */
const answerBytes = 32 * 1024 * 1024;
const answerMuch: RequestListener = (_, res) => res.end(Buffer.alloc(answerBytes));

/** A client that sends a CONNECT behind another request, and reads no answer. */
async function connectWithoutReading(t: Test, url: string): Promise<void> {
  const { socket, send } = await openConnection(t, url);
  socket.pause();
  send(`${lines('GET / HTTP/1.1', 'host: test')}${lines('CONNECT test:443 HTTP/1.1', 'host: test')}`);
}

t.test('a client that does not read the answer before its CONNECT is cut off', async (t) => {
  const server = createServer(answerMuch);
  answerClientErrors(server);
  server.timeout = 50;
  const port = await listenUntilEnd(t, server);
  const accepted: Promise<Socket[]> = once(server, 'connection');
  await connectWithoutReading(t, `http://127.0.0.1:${port}`);
  const [socket] = await accepted;
  if (socket === undefined) throw new Error('A connection comes with its event.');
  if (!socket.closed) await once(socket, 'close');
  t.ok(socket.closed);
});

t.test('a stop does not wait for it', async (t) => {
  let arrived = (): void => {};
  const isThere = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  const server = await listen(
    (req, res) => {
      answerMuch(req, res);
      arrived();
    },
    '127.0.0.1',
    0,
  );
  await connectWithoutReading(t, server.url);
  await isThere;
  await server.close(50);
  t.pass('the server is closed');
});
