import { updateStatuses } from '../../contract/incidents.js';
import { secondMs } from '../../lib/times.js';
import type { Collector, ImportedMonitor } from './imported.js';
import { numberOf, type Row, textOf } from './values.js';

type Context = { services: readonly ImportedMonitor[]; now: number };

/** Takes an incident, or a maintenance of Kener 3, that is over. */
export function kenerIncident(
  row: Row,
  { comments, services, now }: Context & { comments: readonly Row[] },
  into: Collector,
): void {
  const title = textOf(row['title']).trim() || `incident ${textOf(row['id'])}`;
  const isMaintenance = textOf(row['incident_type']) === 'MAINTENANCE';
  const [startedAt, endedAt] = [timeOf(row['start_date_time']), timeOf(row['end_date_time'])];
  if (startedAt === undefined || endedAt === undefined || endedAt > now) {
    into.leave(title, `it is not over; ${isMaintenance ? 'plan' : 'open'} it here when you change over`);
    return;
  }
  const texts = comments.filter(
    (one) => textOf(one['status']) !== 'INACTIVE' && textOf(one['comment']).trim() !== '',
  );
  const [first, ...later] = texts;
  into.incident({
    type: isMaintenance ? 'maintenance' : 'incident',
    ...{ title, services, startedAt, endedAt, publishedAt: startedAt },
    summary: textOf(first?.['comment']) || title,
    updates: later.map((one) => ({
      at: timeOf(one['commented_at']) ?? startedAt,
      status: updateStatuses.find((status) => status.toUpperCase() === textOf(one['state'])) ?? 'monitoring',
      body: textOf(one['comment']),
    })),
  });
}

/** Takes the events of a maintenance of Kener 4 that are over; what is to come is left once. */
export function kenerMaintenance(
  row: Row,
  { events, services, now }: Context & { events: readonly Row[] },
  into: Collector,
): void {
  const title = textOf(row['title']).trim() || `maintenance ${textOf(row['id'])}`;
  const held = events.filter((event) => textOf(event['status']) !== 'CANCELLED');
  const isOver = (event: Row) => {
    const endedAt = timeOf(event['end_date_time']);
    return endedAt !== undefined && endedAt <= now;
  };
  for (const event of held.filter(isOver)) {
    const [startedAt = 0, endedAt = 0] = [timeOf(event['start_date_time']), timeOf(event['end_date_time'])];
    into.incident({
      ...{ type: 'maintenance', title, services, startedAt, endedAt, publishedAt: startedAt },
      ...{ summary: textOf(row['description']), updates: [] },
    });
  }
  if (held.length < events.length) into.note(`the maintenance ${title} has events that were cancelled`);
  const rule = textOf(row['rrule']);
  const recurs = textOf(row['status']) !== 'INACTIVE' && rule !== '' && !/COUNT=1\b/.test(rule);
  if (held.every(isOver) && !recurs && events.length > 0) return;
  into.leave(title, `it is not over${recurs ? ` (${rule})` : ''}; plan it here when you change over`);
}

const timeOf = (value: unknown): number | undefined => {
  const seconds = numberOf(value) ?? 0;
  return seconds > 0 ? seconds * secondMs : undefined;
};
