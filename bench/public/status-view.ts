import type { LedgerEntry } from '../../contract/incidents.js';
import type { ServiceResponseTimes } from '../../contract/public/response-times.js';
import type { DayIncident, ShownService } from '../../contract/public/status-page.js';
import { dayMs, hourMs } from '../../lib/times.js';
import type { StatusViewInput } from '../../web/views/view-inputs.js';

const now = Date.UTC(2026, 10, 21, 16, 30);
const thisHour = Math.floor(now / hourMs) * hourMs;
const iso = (at: number): string => new Date(at).toISOString();

const nameDay = ({ id, title, services, startedAt, resolvedAt }: LedgerEntry): DayIncident => ({
  ...{ id, title, services, startedAt },
  endedAt: resolvedAt,
});

/** A page of services with a plausible history, the same each time. */
export function makeStatusView(services = 20, historyDays = 90): StatusViewInput {
  const random = makeRandom(5);
  const begun = [makeOpenIncident(), ...[1, 4, 5, 9].map(makePastIncident)];
  return {
    brand: {
      slug: 'acme',
      name: 'Acme Cloud',
      origin: 'https://status.example.com',
      languages: ['en', 'de', 'fr', 'es', 'ja'],
      defaultLanguage: 'en',
      accent: '#0a7f5a',
      footerLinks: [{ label: 'Support', url: 'https://example.com/support' }],
    },
    language: 'en',
    sendsMail: true,
    now,
    historyDays,
    summary: {
      slug: 'acme',
      lastChecked: iso(now - 20_000),
      monitoringPaused: false,
      services: Array.from({ length: services }, (_, at) => makeService(at, historyDays, random)),
    },
    groups: [],
    responseTimes: {
      ...{ slug: 'acme', range: '24h', stepSeconds: 3_600, unfinishedFrom: null },
      ...{ from: iso(thisHour - 23 * hourMs), to: iso(thisHour + hourMs) },
      services: Array.from({ length: services }, (_, at) => makeResponseTimes(at, random)),
    },
    objectives: [],
    publicFigures: [],
    incidents: [...begun, makeMaintenance()],
    dayIncidents: begun.map(nameDay),
  };
}

/** One day in twenty has a problem, one in a hundred is not measured; response times vary around a mean. */
function makeService(at: number, historyDays: number, random: () => number): ShownService {
  const dailyMinutesDown: ShownService['dailyMinutesDown'] = {};
  const dailyHealth: ShownService['dailyHealth'] = {};
  const points: { day: string; averageMs: number }[] = [];
  const meanMs = 30 + Math.round(random() * 400);
  for (let age = historyDays - 1; age >= 0; age -= 1) {
    if (random() < 0.01) continue;
    const day = iso(now - age * dayMs).slice(0, 10);
    const fate = random();
    if (fate < 0.02) dailyMinutesDown[day] = 1 + Math.round(random() * 90);
    dailyHealth[day] = { rate: fate < 0.05 ? Math.round(100 + random() * 400) / 100 : 0 };
    points.push({ day, averageMs: Math.round(meanMs * (0.8 + random() * 0.4)) });
  }
  const uptime = '99.98%';
  const [uptimeDay, uptimeWeek, uptimeMonth, uptimeYear] = [uptime, uptime, uptime, uptime];
  const name = `Service ${at + 1}`;
  return {
    ...{ id: `service-${at + 1}`, createdAt: iso(now - historyDays * dayMs) },
    ...{ name, names: { en: name }, url: '', icon: '', slug: `service-${at + 1}`, status: 'up' },
    ...{ uptime, uptimeDay, uptimeWeek, uptimeMonth, uptimeYear },
    ...{ time: meanMs, timeDay: meanMs, timeWeek: meanMs, timeMonth: meanMs, timeYear: meanMs },
    ...{
      dailyMinutesDown,
      dailyHealth,
      responseTime: { windowDays: historyDays, averageMs: meanMs, points },
    },
    coverage: {
      observedSeconds: historyDays * 86_400,
      expectedSeconds: historyDays * 86_400,
      percent: 100,
      lastCheckedAt: iso(now - 20_000),
      ageSeconds: 20,
      freshness: 'fresh',
      state: 'up',
      stateSince: iso(now - 5 * dayMs),
      since: iso(now - (historyDays - 1) * dayMs).slice(0, 10),
    },
  };
}

/** Hours vary around a mean; 95th percentiles are about twice as high. */
function makeResponseTimes(at: number, random: () => number): ServiceResponseTimes {
  const meanMs = 30 + Math.round(random() * 400);
  const averageMs = Array.from({ length: 24 }, () => Math.round(meanMs * (0.8 + random() * 0.4)));
  return {
    slug: `service-${at + 1}`,
    averageMs: meanMs,
    p95Ms: 2 * meanMs,
    points: { averageMs, p95Ms: averageMs.map((ms) => Math.round(ms * (1.6 + random() * 0.8))) },
  };
}

const entry = (number: number, fields: Partial<LedgerEntry>): LedgerEntry => ({
  id: `019a8d2c-0000-7000-8000-${String(number).padStart(12, '0')}`,
  type: 'incident',
  services: ['service-1', 'service-4'],
  startedAt: iso(now - 3_600_000),
  resolvedAt: null,
  publishedAt: iso(now - 3_600_000),
  scheduledEndAt: null,
  maintenanceState: null,
  title: { en: 'Elevated error rates' },
  summary: { en: 'Some requests fail with a 503.' },
  updates: [],
  ...fields,
});

function makeOpenIncident(): LedgerEntry {
  const texts = [
    ['investigating', 'More requests than usual are failing. We are looking into it.'],
    ['identified', 'A deployment used up the connections of the database. It is being rolled back.'],
    ['monitoring', 'Error rates are back to normal; we keep an eye on them.'],
  ] as const;
  return entry(0, {
    updates: texts.map(([status, body], at) => ({
      ...{ id: `update-${at}`, status, body: { en: body } },
      createdAt: iso(now - 3_000_000 + at * 900_000),
    })),
  });
}

const makeMaintenance = (): LedgerEntry =>
  entry(100, {
    type: 'maintenance',
    title: { en: 'Upgrade of the database' },
    summary: { en: 'Writes wait for about five minutes.' },
    ...{ startedAt: iso(now + 4 * dayMs), scheduledEndAt: iso(now + 4 * dayMs + 7_200_000) },
    maintenanceState: 'scheduled',
  });

const makePastIncident = (daysAgo: number): LedgerEntry =>
  entry(daysAgo, {
    title: { en: `Delayed emails, part ${daysAgo}` },
    summary: { en: 'Emails were up to forty minutes late while a queue was stuck. None was lost.' },
    ...{ startedAt: iso(now - daysAgo * dayMs), resolvedAt: iso(now - daysAgo * dayMs + 2_520_000) },
  });

/** A linear congruential generator of numbers from 0 to 1. */
function makeRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}
