import { makeStatusView } from '../../bench/public/status-view.js';
import type { LedgerEntry } from '../../contract/incidents.js';
import type { ShownService } from '../../contract/public/status-page.js';
import type { KnownState, Service } from '../../contract/public/summary.js';
import { hourMs } from '../../lib/times.js';
import type { StatusViewInput, ViewInput } from '../../web/views/view-inputs.js';

export const pageAssets = {
  styles: '/assets/page.1.css',
  theme: '/assets/theme.1.js',
  live: '/assets/live.1.js',
  details: '/assets/details.1.js',
  chart: '/assets/chart.1.js',
};

/** A page with two good services and no incidents, at 2026-11-21T16:30Z. */
export function makeView(fields: Partial<StatusViewInput> = {}): StatusViewInput {
  const view = makeStatusView(2, 30);
  const services = view.summary.services.map((service) => ({ ...service, ...makeGoodDays(view) }));
  return { ...view, summary: { ...view.summary, services }, incidents: [], dayIncidents: [], ...fields };
}

function makeGoodDays({
  now,
  historyDays,
}: StatusViewInput): Pick<Service, 'dailyHealth' | 'dailyMinutesDown'> {
  const days = Array.from({ length: historyDays }, (_, at) => new Date(now - at * 24 * hourMs).toISOString());
  return {
    dailyMinutesDown: {},
    dailyHealth: Object.fromEntries(days.map((day) => [day.slice(0, 10), { rate: 0 }])),
  };
}

/** The view with other fields in its services, by their position. */
export function changeServices(view: StatusViewInput, changes: readonly Partial<Service>[]): StatusViewInput {
  const services = view.summary.services.map((service, at) => ({ ...service, ...changes[at] }));
  return { ...view, summary: { ...view.summary, services } };
}

export const withFreshness = (
  { coverage }: Service,
  freshness: NonNullable<Service['coverage']>['freshness'],
): Partial<Service> => (coverage === undefined ? {} : { coverage: { ...coverage, freshness } });

/** With another known state; while a state is unknown, the checks so far give the status. */
export const withKnownState = ({ coverage }: Service, state: KnownState): Partial<Service> =>
  coverage === undefined ? {} : { coverage: { ...coverage, state } };

/** With a history that begins later. */
export const withSince = ({ coverage }: Service, since: string, observedSeconds: number): Partial<Service> =>
  coverage === undefined ? {} : { coverage: { ...coverage, since, observedSeconds } };

/** An open incident that began an hour before the view's time. */
export function makeEntry(fields: Partial<LedgerEntry> = {}): LedgerEntry {
  return {
    id: 'entry-1',
    type: 'incident',
    services: [],
    startedAt: '2026-11-21T15:30:00.000Z',
    resolvedAt: null,
    publishedAt: '2026-11-21T15:30:00.000Z',
    scheduledEndAt: null,
    maintenanceState: null,
    title: { en: 'Slow logins' },
    summary: { en: 'Logging in takes long.' },
    updates: [],
    ...fields,
  };
}

export const makeMaintenance = (fields: Partial<LedgerEntry> = {}): LedgerEntry =>
  makeEntry({ id: 'entry-2', type: 'maintenance', maintenanceState: 'in_progress', ...fields });

export function publicView(fields: Partial<ViewInput> = {}): ViewInput {
  const { brand, language, now, sendsMail } = makeView();
  return { brand, language, now, sendsMail, ...fields };
}

/** The text of a document without tags, with one space between words. */
export function readText(html: string): string {
  return html
    .replace(/<(script|style|title)\b.*?<\/\1>/gs, ' ')
    .replace(/<[a-z/!](?:"[^"]*"|[^">])*>/gi, ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
    .replace(/\s+/g, ' ');
}

/** The tags of a document and the names of their attributes, which an escaped text does not change. */
export function readStructure(html: string): string[] {
  const tags = html.matchAll(/<(\/?[a-z][\w-]*)((?:\s+[\w:-]+(?:="[^"]*")?)*)\s*\/?>/gi);
  return [...tags].map(([, name, attributes = '']) => {
    const names = [...attributes.matchAll(/\s+([\w:-]+)(?:="[^"]*")?/g)].map(([, attribute]) => attribute);
    return [name, ...names].join(' ');
  });
}

/** How the services of a large page are: all well; a few slow, down or in maintenance; or most of them down. */
export type Mood = 'good' | 'mixed' | 'bad';

const groupNames = [
  'Website',
  'Shop',
  'Payments',
  'API',
  'Mail',
  'Search',
  'Storage',
  'Warehouse',
  'Reports',
];

/** A page of many services in groups of up to twelve, behind two of none; some of the days were slow. */
export function makeLargeView(services: number, mood: Mood): StatusViewInput {
  const view = makeStatusView(services, 90);
  const slow = new Date(view.now - 40 * 60_000).toISOString();
  const all = view.summary.services.map((service, at): ShownService => {
    const dailyMinutesDegraded = Object.fromEntries(
      Object.keys(service.dailyHealth)
        .filter((_, day) => (day + at) % 23 === 0)
        .map((day) => [day, 15 + (at % 7) * 20]),
    );
    const isDown = mood === 'bad' ? at % 4 !== 0 : mood === 'mixed' && at % 13 === 3;
    return {
      ...service,
      ...{ dailyMinutesDegraded, observed: { observedMs: 90 * 24 * hourMs, upMs: 89.9 * 24 * hourMs } },
      degradedSince: mood === 'mixed' && at % 9 === 5 ? slow : null,
      ...(at % 5 === 1 && {
        descriptions: { en: 'Answers requests of browsers and apps' },
        link: view.brand.origin,
      }),
      ...(isDown && { status: 'down', ...withKnownState(service, 'down') }),
    };
  });
  const grouped = all.slice(2);
  const groups = groupNames.flatMap((name, at) => {
    const own = grouped.slice(at * 12, at * 12 + 12).map(({ slug }) => slug);
    const slug = name.toLowerCase();
    return own.length === 0
      ? []
      : [{ id: slug, createdAt: slow, slug, name, names: {}, collapsed: at > 0, services: own }];
  });
  const [open, ...others] = view.incidents;
  const incidents =
    open === undefined ? [] : [{ ...open, serviceStates: { 'service-4': 'partial_outage' as const } }];
  const summary = { ...view.summary, services: all };
  return { ...view, summary, groups, incidents: mood === 'good' ? others : [...incidents, ...others] };
}
