import type { LedgerEntry, UpdateStatus } from '../../../contract/incidents.js';
import { type DeclaredState, stateOfImpact } from '../../../contract/public/service-states.js';
import type { ShownPostmortem } from '../../../contract/public/status-page.js';
import type {
  StatuspageComponent,
  StatuspageIncident,
  StatuspageMaintenance,
} from '../../../contract/public/statuspage.js';
import { componentStates, latestOf } from './components.js';

export type EntryContext = {
  pageId: string;
  /** Texts are in this language. */
  language: string;
  /** Such as `https://status.example.com/en`, which `/incidents/{id}` follows. */
  base: string;
  components: ReadonlyMap<string, StatuspageComponent>;
  /** By incident. */
  postmortems: ReadonlyMap<string, ShownPostmortem>;
};

/** An incident; the text that it was opened with is its first update. */
export function describeIncident(entry: LedgerEntry, context: EntryContext): StatuspageIncident {
  const { resolvedAt, updates, impact = 'none' } = entry;
  const said = resolvedAt === null ? (updates.at(-1)?.status ?? 'investigating') : 'resolved';
  const postmortem = context.postmortems.get(entry.id);
  const described = describeUpdates(entry, context).map(({ said: status, ...update }) => ({
    ...update,
    status,
  }));
  return {
    ...describeHead(entry, context),
    // An incident that somebody has opened again is not resolved, whatever its last update says.
    status:
      postmortem !== undefined
        ? 'postmortem'
        : resolvedAt === null && said === 'resolved'
          ? 'monitoring'
          : said,
    impact,
    incident_updates:
      postmortem === undefined ? described : [describePostmortem(entry, postmortem, context), ...described],
  };
}

/** A maintenance; the text that it was planned with is its first update. */
export function describeMaintenance(entry: LedgerEntry, context: EntryContext): StatuspageMaintenance {
  const { startedAt, scheduledEndAt, resolvedAt } = entry;
  return {
    ...describeHead(entry, context),
    status: entry.maintenanceState ?? 'in_progress',
    impact: 'maintenance',
    scheduled_for: startedAt,
    scheduled_until: scheduledEndAt ?? resolvedAt ?? startedAt,
    incident_updates: describeUpdates(entry, context).map(({ said, ...update }) => ({
      ...update,
      status: maintenanceStatusOf(said, update.created_at < startedAt),
    })),
  };
}

function maintenanceStatusOf(said: UpdateStatus, isBefore: boolean): StatuspageMaintenance['status'] {
  if (said === 'resolved') return 'completed';
  if (isBefore) return 'scheduled';
  return said === 'monitoring' ? 'verifying' : 'in_progress';
}

function describeHead(entry: LedgerEntry, context: EntryContext) {
  const { pageId, language, base, components } = context;
  const { id, title, startedAt, publishedAt, resolvedAt, updates, services } = entry;
  const monitored = updates.filter(({ status }) => status === 'monitoring').at(-1);
  return {
    id,
    name: title[language] ?? '',
    created_at: publishedAt,
    updated_at: changedAtOf(entry, context),
    monitoring_at: monitored?.createdAt ?? null,
    resolved_at: resolvedAt,
    shortlink: `${base}/incidents/${id}`,
    started_at: startedAt,
    page_id: pageId,
    components: services.flatMap((slug) => components.get(slug) ?? []),
    reminder_intervals: null,
  };
}

/** When something of an entry changed last that its readers see. */
export function changedAtOf(
  { id, publishedAt, resolvedAt, updates }: LedgerEntry,
  { postmortems }: Pick<EntryContext, 'postmortems'>,
): string {
  const others = [resolvedAt, updates.at(-1)?.createdAt, postmortems.get(id)?.publishedAt];
  return latestOf([publishedAt, ...others.map((at) => at ?? publishedAt)]);
}

/** Newest first. `said` is the status of the update in our words. */
function describeUpdates(entry: LedgerEntry, context: EntryContext) {
  const { id, summary, publishedAt, updates } = entry;
  const first = { id, status: 'investigating' as const, body: summary, createdAt: publishedAt };
  return [first, ...updates].reverse().map((update) => ({
    id: update.id,
    said: update.status,
    body: update.body[context.language] ?? '',
    incident_id: id,
    ...{ created_at: update.createdAt, updated_at: update.createdAt, display_at: update.createdAt },
    affected_components: describeAffected(entry, update, context),
    ...{ deliver_notifications: true, custom_tweet: null, tweet_id: null },
  }));
}

/** Has the id of the incident, because an incident has one postmortem. */
function describePostmortem(
  { id }: LedgerEntry,
  { body, publishedAt }: ShownPostmortem,
  { language }: EntryContext,
) {
  return {
    ...{ id: `${id}-postmortem`, status: 'postmortem' as const, body: body[language] ?? '', incident_id: id },
    ...{ created_at: publishedAt, updated_at: publishedAt, display_at: publishedAt },
    ...{ affected_components: null, deliver_notifications: false, custom_tweet: null, tweet_id: null },
  };
}

/** An incident says one state of a service for as long as it is open. */
function describeAffected(
  entry: LedgerEntry,
  { id, status }: { id: string; status: UpdateStatus },
  { components }: EntryContext,
) {
  return entry.services.flatMap((slug) => {
    const component = components.get(slug);
    if (component === undefined) return [];
    const state = entry.type === 'maintenance' ? 'under_maintenance' : componentStates[stateIn(entry, slug)];
    return {
      ...{ code: component.id, name: component.name },
      old_status: id === entry.id ? ('operational' as const) : state,
      new_status: status === 'resolved' ? ('operational' as const) : state,
    };
  });
}

const stateIn = ({ serviceStates, impact }: LedgerEntry, slug: string): DeclaredState =>
  serviceStates?.[slug] ?? (impact === undefined ? 'operational' : stateOfImpact[impact]);
