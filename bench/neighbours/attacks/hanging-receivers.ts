import { once } from 'node:events';
import { Agent, createServer } from 'node:http';
import { createAsk, type Tally } from '../ask.js';
import { publicReceivers } from '../public-receivers.js';
import type { Attack } from './attack.js';

const clients = 30;
/** The service takes no more from a client within an hour. */
const signUpsEach = 10;
const incidents = 10;

/** Without a key: readers from 30 addresses sign up 300 chats, whose receivers take the message and never answer. */
export const hangingChats: Attack = {
  title: 'chats of readers that hang',
  hears: ['messages', 'webhooks', 'ready'],
  async run({ url, tenants, ports }, signal, tally) {
    const [loud] = tenants.loud;
    if (loud === undefined) return;
    const receiver = await startHanging(ports.webhookPort, tally);
    const agents = Array.from(
      { length: clients },
      (_, client) => new Agent({ keepAlive: true, localAddress: `127.0.0.${client + 2}` }),
    );
    const { slug, host } = loud;
    const path = `/api/public/${slug}/subscribers`;
    const signUp = async (agent: Agent, place: number): Promise<void> => {
      const receiverHost = publicReceivers[place % publicReceivers.length];
      const chat = { kind: 'webhook', url: `http://${receiverHost}:${ports.webhookPort}/${place}` };
      const { status } = await createAsk(url, agent)({ method: 'POST', path, host, body: { chat } });
      tally.add(`signed up ${status || 'none'}`);
    };
    const signUpAll = async (agent: Agent, client: number): Promise<void> => {
      for (let i = 0; i < signUpsEach; i += 1) await signUp(agent, client * signUpsEach + i);
    };
    try {
      await Promise.all(agents.map(signUpAll));
      if (!signal.aborted) await once(signal, 'abort');
    } finally {
      for (const agent of agents) agent.destroy();
      receiver.close();
    }
  },
};

/** With keys of one page: ten incidents, of which each is to be delivered to ten webhooks that hang. */
export const hangingWebhooks: Attack = {
  title: 'webhooks that hang',
  hears: ['messages', 'webhooks', 'ready'],
  async run({ url, tenants, ports }, signal, tally) {
    const receiver = await startHanging(ports.webhookPort, tally);
    const agent = new Agent({ keepAlive: true });
    const ask = createAsk(url, agent);
    const keys = tenants.loud[0]?.incidentKeys ?? [];
    const open = async (place: number): Promise<void> => {
      const key = keys[place % keys.length];
      const body = { title: `Loud ${place}`, summary: 'It hangs.', startedAt: new Date().toISOString() };
      const { status } = await ask({ method: 'POST', path: '/api/v1/incidents', key, body });
      tally.add(`opened ${status || 'none'}`);
    };
    try {
      await Promise.all(Array.from({ length: incidents }, (_, place) => open(place)));
      if (!signal.aborted) await once(signal, 'abort');
    } finally {
      agent.destroy();
      receiver.close();
    }
  },
};

/** Takes requests and never answers. */
async function startHanging(port: number, tally: Tally) {
  const receiver = createServer(() => tally.add('attempts that hang'));
  await once(receiver.listen(port, '127.0.0.1'), 'listening');
  return {
    close() {
      receiver.close();
      receiver.closeAllConnections();
    },
  };
}
