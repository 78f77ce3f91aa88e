import t from 'tap';
import { createOutbound, openRequest, readStart } from '../../lib/outbound/request.js';
import { startReceiver } from '../support/receiver.js';

const outbound = createOutbound({ allowPrivateAddresses: true });

async function start(url: string, bytesMax: number) {
  const response = await new Promise<Parameters<typeof readStart>[0]>((resolve, reject) => {
    openRequest(outbound, new URL(url), {}).on('response', resolve).on('error', reject).end();
  });
  return readStart(response, bytesMax);
}

t.test('a body is read up to the limit, and tells whether it is longer', async (t) => {
  const receiver = await startReceiver(t);
  receiver.answer = () => ({ status: 200, body: '12345678' });
  t.match(await start(receiver.url, 8), { bytes: Buffer.from('12345678'), isCut: false, error: undefined });
  t.match(await start(receiver.url, 7), { bytes: Buffer.from('1234567'), isCut: true, error: undefined });
  receiver.answer = () => ({ status: 200 });
  t.match(await start(receiver.url, 8), { bytes: Buffer.alloc(0), isCut: false, error: undefined });
});
