import type { ManagedPage } from '../../contract/manage/pages.js';
import { ServiceError } from '../../lib/service-error.js';
import type { Plan, PlanInput } from './change.js';
import type { Installation } from './installation.js';
import { planChannels } from './plan-channels.js';
import { planGroups } from './plan-groups.js';
import { planMonitors } from './plan-monitors.js';
import { planAlertRule, planConnections } from './plan-others.js';
import { planPage } from './plan-page.js';
import { planTemplates } from './plan-templates.js';
import { planWebhooks } from './plan-webhooks.js';

/**
 * Compares a file with a page. Nothing is changed. With `prunes`, what the file does not have is deleted at
 * the end, or before the section for whose new entries it leaves no room.
 *
 * @throws FileError for what cannot be changed without deleting it, and for a new page without a host name.
 */
export async function planChanges(installation: Installation, input: PlanInput): Promise<Plan> {
  const { desired } = input;
  const page = await findPage(installation, desired.slug);
  const parts = [
    planPage(installation, input, page),
    await planGroups(installation, input, page !== undefined),
    await planMonitors(installation, input, page !== undefined),
    await planWebhooks(installation, input, page !== undefined),
    await planAlertRule(installation, input, page !== undefined),
    await planConnections(installation, input, page !== undefined),
    await planTemplates(installation, input, page !== undefined),
    await planChannels(installation, input, page !== undefined),
  ];
  return {
    page: desired.slug,
    changes: [...parts.flatMap(({ makes }) => makes), ...parts.flatMap(({ deletes }) => deletes)],
    sends: parts.flatMap(({ sends }) => sends),
    kept: parts.flatMap(({ kept }) => kept),
  };
}

async function findPage({ pages }: Installation, slug: string): Promise<ManagedPage | undefined> {
  return pages.show(slug).catch((error: unknown) => {
    if (error instanceof ServiceError && error.kind === 'notFound') return undefined;
    throw error;
  });
}
