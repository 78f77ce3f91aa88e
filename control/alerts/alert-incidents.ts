import type { RuleKind } from '../../contract/manage/rules.js';
import type { AlarmId, AlertId, IncidentId, PageId } from '../../lib/ids.js';
import { minuteMs, secondMs } from '../../lib/times.js';
import type { Transaction } from '../../sql/open-postgres.js';
import { jobActor } from '../audit/index.js';
import { appendUpdateIn, createIncidentIn, type IncidentFields, lockIncident } from '../incidents/index.js';
import { loadTemplate } from '../templates/index.js';
import { provideTranslations } from '../translations/index.js';
import type { Evidence } from './evidence.js';
import { type FailureTexts, failureTexts } from './failure-texts.js';
import { type FailingPage, provideFailureTexts } from './provide-failure-texts.js';

/** An alert whose rule opens incidents. */
export type AlertWithIncident = {
  id: AlertId;
  kind: RuleKind;
  ruleName: string;
  startedAt: Date;
  evidence: Evidence;
  opensIncident: { template: string | null };
  incidentId: IncidentId | null;
};

const by = jobActor('watch-rules');

type Incident = { pageId: PageId; alert: AlertWithIncident; now: number };

/** Texts of an incident, and their translations by people. */
type Texts = Pick<IncidentFields, 'title' | 'summary' | 'monitorSlugs'> & {
  resolved: string;
  translations: Readonly<Record<string, { title?: string; summary?: string }>>;
};

/**
 * Opens the incident of an alert, in the transaction that tells the team, which hears of it before its customers do. Does
 * nothing on a page that may not write incidents. Returns whether it did. `afterAlarmId` is the message to the team, when somebody gets one.
 */
export async function openIncidentOf(
  tx: Transaction,
  { pageId, alert, now }: Incident,
  afterAlarmId: AlarmId | undefined,
): Promise<boolean> {
  const page = await loadPage(tx, pageId, alert.evidence);
  if (page === undefined) return false;
  const { resolved: _, translations, ...texts } = await textsOf(tx, page, alert);
  const { id } = await createIncidentIn(tx, {
    ...{ pageId, afterAlarmId, now, by },
    input: {
      ...{ ...texts, type: 'incident', startedAt: alert.startedAt, resolvedAt: null, scheduledEndAt: null },
    },
  });
  for (const part of ['title', 'summary'] as const) {
    const known = Object.entries(translations).flatMap(([tag, text]) => {
      const translated = text[part];
      return translated ? [[tag, translated]] : [];
    });
    const provided = { text: texts[part], translations: Object.fromEntries(known) };
    if (known.length > 0) await provideTranslations(tx, { pageId, text: provided, now });
  }
  if (hasOwnTexts(alert)) {
    const own = ownTexts(page, alert);
    const parts = ['title', 'summary'] as const;
    await provideFailureTexts(tx, { page, counts: countsOf(alert.evidence), now }, { own, parts });
  }
  await tx`update alerts set incident_id = ${id} where id = ${alert.id}`;
  return true;
}

/** Resolves the incident of an alert that is over, unless somebody has. Returns whether it did. */
export async function resolveIncidentOf(tx: Transaction, { pageId, alert, now }: Incident): Promise<boolean> {
  const { incidentId } = alert;
  if (incidentId === null) return false;
  const incident = await lockIncident(tx, pageId, incidentId);
  const page = await loadPage(tx, pageId, alert.evidence);
  if (incident === undefined || incident.resolved_at !== null || page === undefined) return false;
  const { resolved } = await textsOf(tx, page, alert);
  const input = { body: resolved, status: 'resolved' as const, notify: true };
  await appendUpdateIn(tx, { pageId, incidentId, input, now, by });
  if (hasOwnTexts(alert)) {
    const own = ownTexts(page, alert);
    const counts = countsOf(alert.evidence);
    await provideFailureTexts(tx, { page, counts, now }, { own, parts: ['resolved'] });
  }
  return true;
}

/** Failure rates have texts in every language of the service; other rules have those of their template. */
function hasOwnTexts({ kind, opensIncident }: AlertWithIncident): boolean {
  return kind === 'failure-rate' && opensIncident.template === null;
}

function ownTexts(page: FailingPage, { evidence }: AlertWithIncident): FailureTexts {
  return failureTexts(page.defaultLanguage, {
    counts: countsOf(evidence),
    windowSeconds: page.windowSeconds,
  });
}

const over = 'The problem is over.';

/** A rule whose template is gone opens an incident with its name. */
async function textsOf(tx: Transaction, page: FailingPage, alert: AlertWithIncident): Promise<Texts> {
  if (hasOwnTexts(alert)) return { ...ownTexts(page, alert), monitorSlugs: [], translations: {} };
  const { template: slug } = alert.opensIncident;
  const template = slug === null ? undefined : await loadTemplate(tx, { pageId: page.pageId, slug });
  return {
    title: template?.title || alert.ruleName,
    summary: template?.summary ?? '',
    monitorSlugs: template?.monitorSlugs ?? [],
    resolved: template?.updates.find(({ status }) => status === 'resolved')?.body ?? over,
    translations: template?.texts ?? {},
  };
}

/** The languages of a page that may write incidents. */
async function loadPage(
  tx: Transaction,
  pageId: PageId,
  { from, to }: Evidence,
): Promise<FailingPage | undefined> {
  const [page] = await tx<{ defaultLanguage: string; languages: string[] }[]>`
    select p.default_language as "defaultLanguage", p.languages
    from pages p join accounts a on a.id = p.account_id where p.id = ${pageId} and a.incident_writes`;
  if (page === undefined) return undefined;
  const windowMs = from === undefined || to === undefined ? minuteMs : Date.parse(to) - Date.parse(from);
  return { ...page, pageId, windowSeconds: windowMs / secondMs };
}

/** At least one request failed, or there would be no alert. */
function countsOf({ requests = 1, errors = 1 }: Evidence): { requests: number; errors: number } {
  return { requests: Math.max(1, requests), errors: Math.max(1, errors) };
}
