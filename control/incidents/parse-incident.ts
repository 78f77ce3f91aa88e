import type { Static, TSchema } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import {
  AppendUpdate,
  ChangeIncident,
  CreateIncident,
  type IncidentType,
  incidentLimits,
  type UpdateStatus,
} from '../../contract/incidents.js';
import { isLine, lineRule } from '../../contract/line.js';
import type { DeclaredState, Impact } from '../../contract/public/service-states.js';
import { describeSent } from '../../lib/mistakes/describe-sent.js';
import { describeErrors } from '../../lib/parse-body.js';
import { ServiceError } from '../../lib/service-error.js';
import { parseTimestamp } from '../../lib/timestamp.js';
import { toTitle } from '../../lib/visible-line.js';

/** The checked fields of an incident: times exist, texts are trimmed and not blank. */
export type IncidentFields = {
  type: IncidentType;
  title: string;
  summary: string;
  /** As sent, without duplicates; the page may lack a monitor for some of them. */
  monitorSlugs: string[];
  /** null or absent when nobody says it, and for maintenance. */
  impact?: Impact | null;
  /** By slug of an affected service; none for maintenance. */
  serviceStates?: Readonly<Record<string, DeclaredState>>;
  startedAt: Date;
  resolvedAt: Date | null;
  /** Planned end of a maintenance; `null` for an incident. */
  scheduledEndAt: Date | null;
};

/** The fields that are present in a change. */
export type IncidentChange = Partial<IncidentFields> & { notify: boolean };

/** The fields of an update that a correction changes; announced only with `notify`. */
export type UpdateCorrection = { body?: string; status?: UpdateStatus; notify: boolean };

export type UpdateFields = { body: string; status: UpdateStatus; notify: boolean };

const checkCreate = Compile(CreateIncident);

const checkChange = Compile(ChangeIncident);

const checkAppend = Compile(AppendUpdate);

/**
 * Parses the body of a request that creates an incident.
 *
 * @throws ServiceError `invalidBody` with the name of the field, as the other two parsers do.
 */
export function parseNewIncident(body: unknown): IncidentFields {
  const sent = check(checkCreate, body);
  const type = sent.type ?? 'incident';
  const incident = {
    type,
    title: parseTitle(sent.title),
    summary: parseText('/summary', sent.summary),
    monitorSlugs: [...new Set(sent.monitorSlugs ?? [])],
    impact: sent.impact ?? null,
    serviceStates: sent.serviceStates ?? {},
    startedAt: parseTime('/startedAt', sent.startedAt),
    resolvedAt: parseOptionalTime('/resolvedAt', sent.resolvedAt ?? null),
    scheduledEndAt:
      type === 'maintenance' ? parseOptionalTime('/scheduledEndAt', sent.scheduledEndAt ?? null) : null,
  };
  checkOrder(incident);
  checkSaid(incident);
  return incident;
}

/** Parses a change. Call checkOrder() when the fields that the change leaves alone are known. */
export function parseIncidentChange(body: unknown): IncidentChange {
  const sent = check(checkChange, body);
  return {
    ...(sent.type !== undefined && { type: sent.type }),
    ...(sent.title !== undefined && { title: parseTitle(sent.title) }),
    ...(sent.summary !== undefined && { summary: parseText('/summary', sent.summary) }),
    ...(sent.monitorSlugs !== undefined && { monitorSlugs: [...new Set(sent.monitorSlugs)] }),
    ...(sent.impact !== undefined && { impact: sent.impact }),
    ...(sent.serviceStates !== undefined && { serviceStates: sent.serviceStates }),
    ...(sent.startedAt !== undefined && { startedAt: parseTime('/startedAt', sent.startedAt) }),
    ...(sent.resolvedAt !== undefined && { resolvedAt: parseOptionalTime('/resolvedAt', sent.resolvedAt) }),
    ...(sent.scheduledEndAt !== undefined && {
      scheduledEndAt: parseOptionalTime('/scheduledEndAt', sent.scheduledEndAt),
    }),
    notify: sent.notify ?? true,
  };
}

/** Parses the body of a request that adds an update to the timeline. */
export function parseNewUpdate(body: unknown): UpdateFields {
  const { body: text, status = 'investigating', notify = true } = check(checkAppend, body);
  return { body: parseText('/body', text), status, notify };
}

/** Parses the fields of a correction, whose schema was checked. */
export function parseUpdateCorrection({
  body,
  status,
  notify = false,
}: {
  body?: string;
  status?: UpdateStatus;
  notify?: boolean;
}): UpdateCorrection {
  return {
    ...(body !== undefined && { body: parseText('/body', body) }),
    ...(status !== undefined && { status }),
    notify,
  };
}

/** @throws ServiceError `invalidBody` when the end or the planned end is before the start. */
export function checkOrder(times: Pick<IncidentFields, 'startedAt' | 'resolvedAt' | 'scheduledEndAt'>): void {
  const { startedAt, resolvedAt, scheduledEndAt } = times;
  if (resolvedAt !== null && resolvedAt < startedAt)
    throw invalid(`/resolvedAt must not be before /startedAt, which is ${startedAt.toISOString()}.`);
  if (scheduledEndAt !== null && scheduledEndAt <= startedAt) {
    throw invalid(`/scheduledEndAt must be after /startedAt, which is ${startedAt.toISOString()}.`);
  }
}

/** @throws ServiceError `invalidBody` for a state of a service that is not affected, and for what maintenance has not. */
export function checkSaid({
  type,
  monitorSlugs,
  impact = null,
  serviceStates = {},
}: Pick<IncidentFields, 'type' | 'monitorSlugs' | 'impact' | 'serviceStates'>): void {
  if (type === 'maintenance' && (impact !== null || Object.keys(serviceStates).length > 0)) {
    throw invalid('/impact and /serviceStates are for incidents; maintenance has none.');
  }
  const foreign = Object.keys(serviceStates).find((slug) => !monitorSlugs.includes(slug));
  if (foreign !== undefined) {
    throw invalid(
      `/serviceStates must have slugs of affected services, which /monitorSlugs lists; ${describeSent(foreign, 'slug')} is none.`,
    );
  }
}

function check<T extends TSchema>(validator: Validator<Record<never, never>, T>, body: unknown): Static<T> {
  if (!validator.Check(body)) throw invalid(describeErrors(validator, body));
  return body;
}

/** @throws ServiceError `invalidBody` */
export function parseTitle(text: string): string {
  const title = toTitle(parseText('/title', text), incidentLimits.titleChars);
  if (!isLine('title', title)) throw invalid(`/title ${lineRule('title')}.`);
  return title;
}

/** @param at where the text is in the body, such as `/summary`. */
export function parseText(at: string, text: string): string {
  const trimmed = text.trim().toWellFormed();
  if (trimmed === '') throw invalid(`${at} must not be blank.`);
  // Line breaks and tabs are text. Other control characters are not, and PostgreSQL cannot hold a NUL.
  if (/[^\P{Cc}\t\n\r]/u.test(trimmed)) throw invalid(`${at} must not hold control characters.`);
  return trimmed;
}

/** Years from 1970 to 9999: those that a person can mean, and that every store and client can hold. */
const firstTime = Date.UTC(1970, 0, 1);

const endOfTime = Date.UTC(10_000, 0, 1);

function parseTime(at: string, text: string): Date {
  const time = parseTimestamp(text);
  if (!(time >= firstTime && time < endOfTime)) {
    throw invalid(
      `${at} must be an ISO-8601 time that exists, such as 2026-01-31T23:00:00Z; it was ${describeSent(text)}.`,
    );
  }
  return new Date(time);
}

function parseOptionalTime(at: string, text: string | null): Date | null {
  return text === null ? null : parseTime(at, text);
}

function invalid(detail: string): ServiceError {
  return new ServiceError('invalidBody', { message: detail });
}
