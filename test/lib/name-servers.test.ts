import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import t, { type Test } from 'tap';
import { nameServersAnswer } from '../../lib/outbound/resolve-host.js';

/** A name server that answers every question with this code, or not at all. Returns its address. */
async function startNameServer(t: Test, code: number | undefined): Promise<string> {
  const socket = createSocket('udp4');
  socket.on('message', (question, { port, address }) => {
    if (code === undefined) return;
    const answer = Buffer.from(question);
    // The flags of a response, and the code in their last four bits (RFC 1035, section 4.1.1).
    answer.writeUInt16BE(0x8180 | code, 2);
    socket.send(answer, port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  t.teardown(() => socket.close());
  return `127.0.0.1:${socket.address().port}`;
}

t.test('an answer is an answer, even that there is no such name', async (t) => {
  t.equal(await nameServersAnswer([await startNameServer(t, 0)]), true, 'no address');
  t.equal(await nameServersAnswer([await startNameServer(t, 3)]), true, 'no such name');
});

t.test('a name server that is silent, closed or refuses us is none', async (t) => {
  t.equal(await nameServersAnswer([await startNameServer(t, undefined)]), false, 'silent');
  t.equal(await nameServersAnswer([await startNameServer(t, 5)]), false, 'it refuses to serve this machine');
  const closed = createSocket('udp4').bind(0, '127.0.0.1');
  await once(closed, 'listening');
  const { port } = closed.address();
  closed.close();
  t.equal(await nameServersAnswer([`127.0.0.1:${port}`]), false, 'closed');
});
