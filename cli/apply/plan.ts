import { ManagedPage } from '../../contract/manage/pages.js';
import { ServiceError } from '../../lib/service-error.js';
import type { Client } from '../client/client.js';
import type { Plan, PlanInput } from './change.js';
import { planAlerting } from './plan-alerting.js';
import { planBoards } from './plan-boards.js';
import { planChannels } from './plan-channels.js';
import { planGroups } from './plan-groups.js';
import { planMonitors } from './plan-monitors.js';
import { planAlertRule, planConnections, planReports } from './plan-others.js';
import { planPage } from './plan-page.js';
import { planTemplates } from './plan-templates.js';
import { planWebhooks } from './plan-webhooks.js';

/**
 * Compares a file with a page. Nothing is changed. With `prunes`, things that the file lacks are deleted at
 * the end, or before the section for whose new entries it leaves no room.
 *
 * @throws FileError for what cannot be changed without deleting it, and for a new page without a host name.
 */
export async function planChanges(client: Client, input: PlanInput): Promise<Plan> {
  const { desired } = input;
  const path = await client.pathOf(desired.slug);
  const page = await findPage(client, path);
  const on = { client, path, exists: page !== undefined };
  const parts = [
    planPage(on, input, page),
    await planGroups(on, input),
    await planMonitors(on, input),
    await planWebhooks(on, input),
    await planAlertRule(on, input),
    await planConnections(on, input),
    await planTemplates(on, input),
    await planChannels(on, input),
    await planReports(on, input),
    await planBoards(on, input),
  ];
  const alerting = await planAlerting(on, input);
  const deletes = [alerting, ...parts].flatMap((part) => part.deletes); // Rules and policies name the others.
  parts.push(alerting);
  return {
    page: desired.slug,
    changes: [...parts.flatMap(({ makes }) => makes), ...deletes],
    sends: parts.flatMap(({ sends }) => sends),
    kept: parts.flatMap(({ kept }) => kept),
  };
}

async function findPage(client: Client, path: string): Promise<ManagedPage | undefined> {
  return client.send('GET', path, { answer: ManagedPage }).catch((error: unknown) => {
    if (error instanceof ServiceError && error.kind === 'notFound') return undefined;
    throw error;
  });
}
