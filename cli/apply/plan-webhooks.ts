import type { Static } from 'typebox';
import type { ManagedWebhook } from '../../contract/manage/webhooks.js';
import { webhookLimits } from '../../contract/webhooks.js';
import { type Change, differences, nothing, type PlanInput, type PlanPart, withDeletes } from './change.js';
import { type DesiredWebhook, webhookKey } from './desired.js';
import type { Installation } from './installation.js';

/** Plans the webhooks of the page, which their URLs and events tell apart. */
export async function planWebhooks(
  { webhooks }: Installation,
  { desired: { slug: page, webhooks: wanted, placeOf }, prunes }: PlanInput,
  pageExists: boolean,
): Promise<PlanPart> {
  if (wanted === undefined) return nothing();
  const present = pageExists ? await webhooks.list(page) : [];
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
        const { id, secret } = await webhooks.create(page, { url, events });
        if (!enabled) await webhooks.disable({ id, page });
        return { secret };
      };
      plan.makes.push({ ...change, verb: 'create', make });
      continue;
    }
    if (fields.length === 0) continue;
    const make = async () => {
      const after = await webhooks.change({ id: before.id, page }, { events });
      if (after.enabled !== enabled) {
        await (enabled ? webhooks.enable : webhooks.disable)({ id: before.id, page });
      }
      return {};
    };
    plan.makes.push({ ...change, verb: 'update', make });
  }
  const deletes = surplus.map(({ id, url }): Change => {
    const make = async () => {
      await webhooks.remove({ id, page });
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
