import type { Entry, Ledger } from './ledger.js';
import type { Send } from './send.js';

/** Endpoint and status identify a batch, so that few batches need a name that is new to the page. */
export type SentBatch = Entry & { endpoint: string; status: number; events: number };

export const eventMs = 3;
export const endpointPrefixes = { v1: '/soak/v1/', v2: '/soak/v2/' } as const;
type Version = keyof typeof endpointPrefixes;
export const heartbeatPrefix = 'beat-';

const endpoints = 250;
const statuses = 500;
/** Batches beyond this would not be unique. */
export const batchesMax = endpoints * statuses;
const eventsMax = 50;
const services = ['checkout', 'search'];
const reporters = 10;

/** Sends batches of v1 and v2 with 1 to 50 events, and heartbeats, each from a new reporter. */
export function createEventLoad(send: Send, key: string, random: () => number) {
  const v1: Ledger<SentBatch> = { what: 'batches, v1', acknowledgedBy: 202, entries: [] };
  const v2: Ledger<SentBatch> = { what: 'batches, v2', acknowledgedBy: 202, entries: [] };
  const heartbeats: Ledger = { what: 'heartbeats', acknowledgedBy: 202, entries: [] };

  function next(version: Version, ledger: Ledger<SentBatch>): SentBatch {
    const number = ledger.entries.length;
    const entry = {
      name: `${version} ${number}`,
      endpoint: `${endpointPrefixes[version]}${number % endpoints}`,
      status: 100 + (Math.floor(number / endpoints) % statuses),
      events: 1 + Math.floor(random() * eventsMax),
    };
    ledger.entries.push(entry);
    return entry;
  }

  async function post(entry: Entry, path: string, body: object): Promise<void> {
    const answer = await send({ method: 'POST', path, key, body });
    if (answer !== undefined) entry.answer = answer;
  }

  return {
    ledgers: { v1, v2, heartbeats },
    postV1: () => {
      const entry = next('v1', v1);
      const event = { endpoint: entry.endpoint, status: entry.status, ms: eventMs };
      const events = Array.from({ length: entry.events }, (_, i) => ({
        ...event,
        service: services[i % services.length],
      }));
      return post(entry, '/api/v1/events', { events });
    },
    postV2: () => {
      const entry = next('v2', v2);
      const event = { endpoint: entry.endpoint, status: entry.status, ms: eventMs };
      const events = Array.from({ length: entry.events }, () => event);
      const reporter = reporterOf(`soak-${v2.entries.length % reporters}`);
      return post(entry, '/api/v2/events', { reporter, events });
    },
    postHeartbeat: () => {
      const entry = { name: `${heartbeatPrefix}${heartbeats.entries.length}` };
      heartbeats.entries.push(entry);
      return post(entry, '/api/v2/events', { reporter: reporterOf(entry.name), events: [] });
    },
  };
}

function reporterOf(reporterId: string): object {
  return { reporterId, englishName: `Reporter ${reporterId}`, expectedEverySeconds: 60 };
}
