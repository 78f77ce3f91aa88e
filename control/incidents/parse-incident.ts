import type { Static, TSchema } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import {
  AppendUpdate,
  ChangeIncident,
  CreateIncident,
  type IncidentType,
  type UpdateStatus,
} from '../../contract/incidents.js';
import { describeFirstError } from '../../lib/describe-error.js';
import { ServiceError } from '../../lib/service-error.js';
import { parseTimestamp } from '../../lib/timestamp.js';

/** What an incident is made of, checked; times exist, texts are trimmed and not blank. */
export type IncidentFields = {
  type: IncidentType;
  title: string;
  summary: string;
  /** As sent, each once; the page may not have a monitor for all of them. */
  monitorSlugs: string[];
  startedAt: Date;
  resolvedAt: Date | null;
  /** Of a maintenance; null for an incident. */
  scheduledEndAt: Date | null;
};
/** The fields that a change names. */
export type IncidentChange = Partial<IncidentFields> & { notify: boolean };
export type UpdateFields = { body: string; status: UpdateStatus; notify: boolean };

const checkCreate = Compile(CreateIncident);
const checkChange = Compile(ChangeIncident);
const checkAppend = Compile(AppendUpdate);

/** @throws ServiceError 400 that names the field, as the other two do. */
export function parseNewIncident(body: unknown): IncidentFields {
  const sent = check(checkCreate, body);
  const type = sent.type ?? 'incident';
  const incident = {
    type,
    title: readTitle(sent.title),
    summary: readText('/summary', sent.summary),
    monitorSlugs: [...new Set(sent.monitorSlugs ?? [])],
    startedAt: readTime('/startedAt', sent.startedAt),
    resolvedAt: readOptionalTime('/resolvedAt', sent.resolvedAt ?? null),
    scheduledEndAt:
      type === 'maintenance' ? readOptionalTime('/scheduledEndAt', sent.scheduledEndAt ?? null) : null,
  };
  checkOrder(incident);
  return incident;
}

/** The order of its times is checked with checkOrder(), once the fields that it leaves alone are known. */
export function parseIncidentChange(body: unknown): IncidentChange {
  const sent = check(checkChange, body);
  return {
    ...(sent.type !== undefined && { type: sent.type }),
    ...(sent.title !== undefined && { title: readTitle(sent.title) }),
    ...(sent.summary !== undefined && { summary: readText('/summary', sent.summary) }),
    ...(sent.monitorSlugs !== undefined && { monitorSlugs: [...new Set(sent.monitorSlugs)] }),
    ...(sent.startedAt !== undefined && { startedAt: readTime('/startedAt', sent.startedAt) }),
    ...(sent.resolvedAt !== undefined && { resolvedAt: readOptionalTime('/resolvedAt', sent.resolvedAt) }),
    ...(sent.scheduledEndAt !== undefined && {
      scheduledEndAt: readOptionalTime('/scheduledEndAt', sent.scheduledEndAt),
    }),
    notify: sent.notify ?? true,
  };
}

export function parseNewUpdate(body: unknown): UpdateFields {
  const { body: text, status = 'investigating', notify = true } = check(checkAppend, body);
  return { body: readText('/body', text), status, notify };
}

/** @throws ServiceError 400 when it ends before it starts, by its end time or by plan. */
export function checkOrder(times: Pick<IncidentFields, 'startedAt' | 'resolvedAt' | 'scheduledEndAt'>): void {
  const { startedAt, resolvedAt, scheduledEndAt } = times;
  if (resolvedAt !== null && resolvedAt < startedAt)
    throw invalid('/resolvedAt must not be before startedAt.');
  if (scheduledEndAt !== null && scheduledEndAt <= startedAt) {
    throw invalid('/scheduledEndAt must be after startedAt.');
  }
}

function check<T extends TSchema>(validator: Validator<Record<never, never>, T>, body: unknown): Static<T> {
  if (!validator.Check(body)) throw invalid(describeFirstError(validator, body));
  return body;
}

function readTitle(text: string): string {
  const title = readText('/title', text);
  if (/\p{Cc}/u.test(title)) throw invalid('/title must not hold control characters.');
  return title;
}

function readText(at: string, text: string): string {
  const trimmed = text.trim().toWellFormed();
  if (trimmed === '') throw invalid(`${at} must not be blank.`);
  // Line breaks and tabs are text; others are not, and PostgreSQL cannot hold a NUL.
  if (/[^\P{Cc}\t\n\r]/u.test(trimmed)) throw invalid(`${at} must not hold control characters.`);
  return trimmed;
}

/** A year that a person means, and that every store and client can hold. */
const firstTime = Date.UTC(1970, 0, 1);
const endOfTime = Date.UTC(10_000, 0, 1);

function readTime(at: string, text: string): Date {
  const time = parseTimestamp(text);
  if (!(time >= firstTime && time < endOfTime)) {
    throw invalid(`${at} must be an ISO-8601 time that exists, such as 2026-01-31T23:00:00Z.`);
  }
  return new Date(time);
}

function readOptionalTime(at: string, text: string | null): Date | null {
  return text === null ? null : readTime(at, text);
}

function invalid(detail: string): ServiceError {
  return new ServiceError('invalidBody', { message: detail });
}
