import type { PageId } from '../../lib/ids.js';
import type { Transaction } from '../../sql/open-postgres.js';
import { type Actor, type AuditedFields, recordChange } from '../audit/index.js';
import type { Page } from './page.js';

/** Who makes a change, and when, in milliseconds since the epoch. */
type Audit = { by: Actor; now: number };

/** Records that a page was created, changed or deleted; a change of its logo has a row of its own. */
export async function recordPage(
  tx: Transaction,
  audit: Audit,
  {
    before,
    after,
  }: { before: Page; after: Page } | { before: null; after: Page } | { before: Page; after: null },
): Promise<void> {
  const page = after ?? before;
  const verb = before === null ? 'create' : after === null ? 'delete' : 'update';
  await recordChange(tx, audit, {
    pageId: page.id,
    action: `page.${verb}`,
    target: { type: 'page', id: page.id, name: page.slug },
    before: before && fieldsOf(before),
    after: after && fieldsOf(after),
  });
  if (after !== null) await recordLogo(tx, audit, after, before?.logoHash ?? null);
}

async function recordLogo(
  tx: Transaction,
  audit: Audit,
  page: Page,
  hashBefore: string | null,
): Promise<void> {
  if (hashBefore === page.logoHash) return;
  await recordChange(tx, audit, {
    pageId: page.id,
    action: page.logoHash === null ? 'logo.delete' : 'logo.update',
    target: { type: 'logo', id: page.id, name: page.slug },
    before: { hash: hashBefore },
    after: { hash: page.logoHash },
  });
}

/** Records that the published response times of a page begin on another day. */
export async function recordFirstDay(
  tx: Transaction,
  audit: Audit,
  { id, slug, before, after }: { id: PageId; slug: string; before: string; after: string },
): Promise<void> {
  await recordChange(tx, audit, {
    pageId: id,
    action: 'page.update',
    target: { type: 'page', id, name: slug },
    before: { responseTimesSince: before },
    after: { responseTimesSince: after },
  });
}

function fieldsOf({ databaseHealthEnabled: databaseHealth, ...page }: Page): AuditedFields {
  const { slug, hostname, name, languages, defaultLanguage, historyDays, responseTimesSince } = page;
  const { timeZone, monitoringPaused, incidentsFromMonitors, publicMetrics } = page;
  const { accent, footerLinks, figures, logoAlone, isPrivate, allowedAddresses, passwordTag } = page;
  return {
    ...{ slug, hostname, name, languages, defaultLanguage, historyDays, responseTimesSince, timeZone },
    ...{
      monitoringPaused,
      databaseHealth,
      incidentsFromMonitors,
      publicMetrics,
      accent,
      footerLinks,
      figures,
      logoAlone,
    },
    ...{ private: isPrivate, allowedAddresses },
    // Not the password, but that there is another one.
    password: passwordTag === null ? null : `set ${passwordTag}`,
    ...{ ownerEmails: page.ownerEmails, traceUrl: page.traceUrl, capabilities: page.capabilities },
  };
}
