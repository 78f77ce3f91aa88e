import t from 'tap';
import { listen } from '../../api/http-server.js';
import { boundConnections } from '../../api/listening.js';
import { openConnection } from '../support/raw-http.js';
import { waitUntil } from '../support/wait-until.js';

t.test('connections beyond the bound are closed at once, and those below it are answered', async (t) => {
  let refused = 0;
  const bound = boundConnections(2, () => {
    refused += 1;
  });
  const server = await listen((_, res) => res.end('here'), '127.0.0.1', 0, bound);
  t.teardown(() => server.close(1_000));
  const [first, second] = [await openConnection(t, server.url), await openConnection(t, server.url)];
  const third = await openConnection(t, server.url);
  t.equal(await third.readToEnd(), '');
  t.equal(refused, 1);
  for (const open of [first, second]) {
    open.send('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n');
    t.match(await open.readUntil(/here/), /^HTTP\/1\.1 200 /);
  }
  first.socket.destroy();
  await waitUntil('its place is free', async () => {
    const next = await openConnection(t, server.url);
    next.send('GET / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n');
    return (await next.readToEnd()).includes('here');
  });
});
