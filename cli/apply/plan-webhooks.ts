import type { Static } from 'typebox';
import type { ManagedWebhook } from '../../contract/manage/webhooks.js';
import { webhookLimits } from '../../contract/webhooks.js';
import { Nothing } from '../client/client.js';
import { changeWebhook, createWebhook, listWebhooks } from '../webhook.js';
import {
  type Change,
  differences,
  nothing,
  type PlanInput,
  type PlanOn,
  type PlanPart,
  withDeletes,
} from './change.js';
import { type DesiredWebhook, webhookKey } from './desired.js';

/** Plans the webhooks of the page, which their URLs and events tell apart. */
export async function planWebhooks(
  { client, path: pagePath, exists }: PlanOn,
  { desired: { slug: page, webhooks: wanted, placeOf }, prunes }: PlanInput,
): Promise<PlanPart> {
  if (wanted === undefined) return nothing();
  const present = exists ? await listWebhooks(client, pagePath) : [];
  const plan = nothing();
  const { pairs, surplus } = pairUp(wanted, present);
  for (const { webhook, before } of pairs) {
    const { url, events, enabled, isSecret, path } = webhook;
    const place = placeOf(path);
    const name = isSecret ? originOf(url) : url;
    const fields = differences(before && { events: before.events, enabled: before.enabled }, {
      events,
      ...((before || !enabled) && { enabled }),
    });
    const change = { noun: 'webhook', name, fields, place } as const;
    if (before === undefined) {
      const make = async () => {
        const { id, secret } = await createWebhook(client, pagePath, { url, events });
        if (!enabled) await changeWebhook(client, { id, page }, { enabled });
        return { secret };
      };
      plan.makes.push({ ...change, verb: 'create', make });
      continue;
    }
    if (fields.length === 0) continue;
    const make = async () => {
      await changeWebhook(
        client,
        { id: before.id, page },
        { events, ...(before.enabled !== enabled && { enabled }) },
      );
      return {};
    };
    plan.makes.push({ ...change, verb: 'update', make });
  }
  const deletes = surplus.map(({ id, url }): Change => {
    const make = async () => {
      await client.send('DELETE', `${pagePath}/webhooks/${id}`, { answer: Nothing });
      return {};
    };
    return { verb: 'delete', noun: 'webhook', name: originOf(url), fields: [], make };
  });
  const active = present.filter(({ disabledAt }) => disabledAt === null).length;
  return withDeletes(plan, { deletes, prunes, room: webhookLimits.webhooksPerPage - active });
}

type Present = Static<typeof ManagedWebhook>;

/**
 * Finds the webhook that is there for each one of the file: with its URL and events, otherwise one with its URL that no
 * other has. Active ones come first. `surplus` has no counterpart in the file.
 */
function pairUp(wanted: readonly DesiredWebhook[], present: readonly Present[]) {
  const free = [...present].sort((a, b) => Number(a.disabledAt !== null) - Number(b.disabledAt !== null));
  const take = (fits: (one: Present) => boolean): Present | undefined => {
    const index = free.findIndex(fits);
    return index < 0 ? undefined : free.splice(index, 1)[0];
  };
  const same = wanted.map((webhook) => take((one) => webhookKey(one) === webhookKey(webhook)));
  const pairs = wanted.map((webhook, index) => ({
    webhook,
    before: same[index] ?? take(({ url }) => url === webhook.url),
  }));
  return { pairs, surplus: free };
}

/** The rest of a URL may be a secret, and the log of a CI run is read by many. */
function originOf(url: string): string {
  return URL.canParse(url) ? `${new URL(url).origin}/…` : '(not a URL)';
}
