import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * Providers of chats, each on a port of its own. A message to the process says which of them hang from then on, by their
 * places; it answers with the number of messages that each has taken.
 */
const providers = Number(process.argv[2] ?? 1);
/** Time that a provider takes for an answer, as over the Internet. */
const answerMs = 50;
const taken = Array.from({ length: providers }, () => 0);
let hanging: readonly number[] = [];

function serve(place: number): Server {
  return createServer((request, response) => {
    request.resume().on('end', () => {
      if (hanging.includes(place)) return;
      setTimeout(() => {
        taken[place] = (taken[place] ?? 0) + 1;
        response.writeHead(204).end();
      }, answerMs);
    });
  });
}

const ports: number[] = [];
for (let place = 0; place < providers; place += 1) {
  const server = serve(place).listen(0, '127.0.0.1');
  await once(server, 'listening');
  ports.push((server.address() as AddressInfo).port);
}
process.send?.(ports);
process.on('message', (dead: readonly number[]) => {
  hanging = dead;
  process.send?.(taken);
});
process.on('disconnect', () => process.exit());
