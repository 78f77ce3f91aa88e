import t from 'tap';
import { listen } from '../../api/http-server.js';

t.test('a taken port and a missing address are reported in one sentence', async (t) => {
  const first = await listen(() => {}, '127.0.0.1', 0);
  t.teardown(() => first.close(1000));
  const port = Number(new URL(first.url).port);
  await t.rejects(
    listen(() => {}, '127.0.0.1', port),
    {
      message: `Port ${port} on 127.0.0.1 is taken; choose another one with PORT.`,
    },
  );
  await t.rejects(
    listen(() => {}, '192.0.2.1', 0),
    { message: /does not have the address 192\.0\.2\.1/ },
  );
});
