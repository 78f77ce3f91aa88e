import { cliActor } from '../../control/audit/index.js';
import { createChannel } from '../../control/channels/index.js';
import { setEventStore } from '../../control/event-stores/index.js';
import { createKey } from '../../control/keys/index.js';
import { createMonitor } from '../../control/monitors/index.js';
import { createPage } from '../../control/pages/index.js';
import { createWebhook } from '../../control/webhooks/index.js';
import { systemClock } from '../../lib/clock.js';
import type { ChannelId, PageId } from '../../lib/ids.js';
import { openPostgres } from '../../sql/open-postgres.js';
import type { RunningStack } from '../../stack/stack-file.js';

/** Ports on the loopback address: where the attacker's store and receivers listen, and the receiver of the quiet page. */
export type Ports = { storePort: number; webhookPort: number; quietPort: number };

/** A page with the keys that its owner has. */
export type Tenant = {
  slug: string;
  host: string;
  ingestKey: string;
  readKey: string;
  /** The rate of a key is bounded, and a page may have many keys. */
  incidentKeys: string[];
};

/** The page that is not to notice anything. A webhook and a channel of its team lead to its receiver. */
export type QuietTenant = Tenant & { manageKey: string; channelId: ChannelId };

/** How a store answers that its owner runs to hurt the service; also the name of its database and of its page. */
export const storeManners = ['rows', 'line', 'drip', 'inflate', 'forget'] as const;
export type StoreManner = (typeof storeManners)[number];

export type Tenants = {
  quiet: QuietTenant;
  /** Pages of the attacker on the installation's store; the first has webhooks. */
  loud: Tenant[];
  /** Pages of the attacker with a store of their own. */
  owners: Record<StoreManner, Tenant>;
};

const loudPages = 8;
const incidentKeys = 10;
const webhooks = 10;
const services = ['api', 'shop', 'search'];

/** Creates the pages of both sides. */
export async function makeTenants(
  { databaseUrl, secretKey }: RunningStack,
  { storePort, webhookPort, quietPort }: Ports,
): Promise<Tenants> {
  const sql = openPostgres(databaseUrl, { max: 1 });
  const deps = { sql, clock: systemClock, secretKey, by: cliActor('bench') };
  const newKey = async (pageId: PageId, scope: 'ingest' | 'read' | 'incident' | 'manage') =>
    (await createKey(deps, { pageId, scope })).key;
  const make = async (slug: string): Promise<Tenant & { pageId: PageId }> => {
    const host = `${slug}.localhost`;
    const { id: pageId } = await createPage(deps, { slug, hostname: host });
    const keyOf = (scope: 'ingest' | 'read' | 'incident') => newKey(pageId, scope);
    for (const name of services)
      await createMonitor(deps, { pageId, slug: name, name, kind: 'heartbeat', periodSeconds: 60 });
    const keys = [];
    for (let i = 0; i < incidentKeys; i += 1) keys.push(await keyOf('incident'));
    const [ingestKey, readKey] = [await keyOf('ingest'), await keyOf('read')];
    return { pageId, slug, host, ingestKey, readKey, incidentKeys: keys };
  };
  try {
    const quiet = await make('quiet');
    const { pageId } = quiet;
    const url = `http://127.0.0.1:${quietPort}`;
    await createWebhook(deps, { pageId, url });
    const settings = { url };
    const channel = await createChannel(deps, { pageId, kind: 'webhook', name: 'team', settings });
    const loud = [];
    for (let i = 0; i < loudPages; i += 1) {
      const tenant = await make(`loud${i}`);
      for (let hook = 0; i === 0 && hook < webhooks; hook += 1) {
        const url = `http://127.0.0.1:${webhookPort}/${hook}`;
        await createWebhook(deps, { pageId: tenant.pageId, url });
      }
      loud.push(tenant);
    }
    const owner = async (manner: StoreManner): Promise<Tenant> => {
      const tenant = await make(`own-${manner}`);
      const address = {
        url: `http://127.0.0.1:${storePort}`,
        database: manner,
        username: 'u',
        password: 'p',
      };
      await setEventStore(deps, { pageId: tenant.pageId, ...address });
      return tenant;
    };
    return {
      quiet: { ...quiet, manageKey: await newKey(pageId, 'manage'), channelId: channel.id },
      loud,
      owners: {
        ...{ rows: await owner('rows'), line: await owner('line'), drip: await owner('drip') },
        ...{ inflate: await owner('inflate'), forget: await owner('forget') },
      },
    };
  } finally {
    await sql.end({ timeout: 5 });
  }
}
