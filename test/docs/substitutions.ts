import { minuteMs } from '../../lib/times.js';
import type { Installation } from './installation.js';

/** Places of the reader as the docs write them, and as they are in this test. */
function placesIn({ url, port, receiver, tcpPort, folder, demoKeys }: Installation): [string, string][] {
  return [
    ['http://127.0.0.1:8080', url],
    ['http://localhost:8080', url],
    ['https://heartline.example.com', url],
    ['https://status.example.com', `http://status.localhost:${port}`],
    ['status.example.com', 'status.localhost'],
    ['https://api.example.com/', `${receiver.url}/`],
    ['https://example.com/', `${receiver.url}/`],
    ['https://hooks.slack.com/', `${receiver.url}/`],
    ['https://ntfy.example.com', receiver.url],
    ['tcp://db.example.com:5432', `tcp://127.0.0.1:${tcpPort}`],
    ['key_ingest_…', demoKeys.ingest],
    ['key_read_…', demoKeys.read],
    ['key_live_…', demoKeys.incident],
    ['/backups/', `${folder}/backups-`],
  ];
}

/** In the docs it is the end of January; the service refuses times of day that are long past. */
const nowInDocs = Date.parse('2026-02-01T00:00:00.000Z');
const timesInDocs = /2026-(?:01-31T\d\d:\d\d:\d\d|02-01T00:00:00)(\.\d{3})?Z/g;

/** Replaces places and times in a block by the ones of this test. `now` is the time of the reader. */
export function substitute(text: string, installation: Installation, now: number): string {
  const shifted = shiftTimes(text, now);
  return placesIn(installation).reduce((all, [docs, here]) => all.replaceAll(docs, here), shifted);
}

/** Replaces the times in a block by those that are as long before the time of the reader. */
export function shiftTimes(text: string, now: number): string {
  const later = Math.floor(now / minuteMs) * minuteMs - nowInDocs;
  return text.replaceAll(timesInDocs, (time: string, fraction?: string) => {
    const iso = new Date(Date.parse(time) + later).toISOString();
    return fraction === undefined ? iso.replace(/\.\d{3}Z$/, 'Z') : iso;
  });
}

/** Words of commands that stand for an id, and the command whose output has it. `name` is the list in its JSON. */
export const idPlaceholders: readonly { page: string; word: string; command: string; name: string }[] = [
  {
    page: 'docs/get-started.md',
    word: 'ID',
    command: 'heartline incident list --page demo --json',
    name: 'incidents',
  },
  {
    page: 'docs/channels.md',
    word: 'ID',
    command: 'heartline channel list --page acme --json',
    name: 'channels',
  },
  {
    page: 'docs/webhooks.md',
    word: 'DELIVERY_ID',
    command: 'heartline webhook deliveries ID --json',
    name: 'deliveries',
  },
  {
    page: 'docs/webhooks.md',
    word: 'ID',
    command: 'heartline webhook list --page acme --json',
    name: 'webhooks',
  },
  {
    page: 'docs/email.md',
    word: 'EMAIL_ID',
    command: 'heartline subscriber emails --page acme --json',
    name: 'emails',
  },
  {
    page: 'docs/boards.md',
    word: 'ID',
    command: 'heartline board shares golden-signals --page acme --json',
    name: 'shares',
  },
  {
    page: 'docs/database-health.md',
    word: 'ID',
    command: 'heartline connection list --page acme --json',
    name: 'connections',
  },
];
