import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

// A mail server that accepts and discards every message. Any message to the process requests the number accepted.
let taken = 0;
const server = new SMTPServer({
  disabledCommands: ['AUTH', 'STARTTLS'],
  onData(stream, _session, done) {
    stream.resume().on('end', () => {
      taken += 1;
      done();
    });
  },
});
server.on('error', () => {});
server.listen(0, '127.0.0.1');
await once(server.server, 'listening');
process.send?.((server.server.address() as AddressInfo).port);
process.on('message', () => process.send?.(taken));
process.on('disconnect', () => process.exit());
