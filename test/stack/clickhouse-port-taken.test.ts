import { createServer, type ServerResponse } from 'node:http';
import { Server as NetServer } from 'node:net';
import t, { type Test } from 'tap';
import { startClickHouse } from '../../stack/clickhouse.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { askClickHouse, recordingLog } from './support.js';

const options = { database: 'heartline', readerTables: [], secretKey: 'a'.repeat(43), log: recordingLog() };

const thieves = {
  'a web server that refuses everything': (response: ServerResponse) => response.writeHead(403).end('No.'),
  'a web server that takes everything': (response: ServerResponse) => response.end(),
  'another ClickHouse': (response: ServerResponse) =>
    response.writeHead(403, { 'x-clickhouse-exception-code': '516' }).end('Authentication failed.'),
};

for (const [name, answer] of Object.entries(thieves)) {
  t.test(`ClickHouse takes another port when ${name} took its own in the meantime`, async (t) => {
    const taken = takeNextPort(t, answer);
    const server = await startClickHouse({ dir: await temporaryFolder(t), ...options });
    t.teardown(() => server.stop());
    t.not(Number(new URL(server.url).port), await taken);
    t.match(await askClickHouse(server.url, 'select 1', { connection: 'close' }), { status: 200, text: '1' });
  });
}

/** Answers on the next port of this process that a server gives up, before anybody hears that it is free. */
function takeNextPort(t: Test, answer: (response: ServerResponse) => unknown): Promise<number> {
  const { close } = NetServer.prototype;
  const restore = () => {
    NetServer.prototype.close = close;
  };
  t.teardown(restore);
  return new Promise((resolve) => {
    NetServer.prototype.close = function (this: NetServer, done) {
      restore();
      const address = this.address();
      const port = address !== null && typeof address === 'object' ? address.port : 0;
      return close.call(this, (error) => {
        const thief = createServer((_, response) => answer(response));
        t.teardown(() => thief.close());
        thief.listen(port, '127.0.0.1', () => {
          resolve(port);
          done?.(error);
        });
      });
    };
  });
}
