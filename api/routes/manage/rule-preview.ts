import { loadMinutes } from '../../../analytics/objectives/spending.js';
import { loadPast, loadWorstGroups, type PastRow } from '../../../analytics/rules/load-past.js';
import {
  type RulePreview as Preview,
  RulePreview,
  rulePreviewLimits,
} from '../../../contract/manage/rule-preview.js';
import { PutRule, requestRuleKinds } from '../../../contract/manage/rules.js';
import { manageBodyBytesMax as bytesMax } from '../../../contract/manage/shared.js';
import { burnRate, findObjective } from '../../../control/objectives/index.js';
import {
  checkRule,
  levelOf,
  lineOf,
  observeBurnRate,
  observeRequests,
  type PastGroup,
  type PastLooks,
  previewRule,
  type Rule,
  withDefaults,
} from '../../../control/rules/index.js';
import { groupBy } from '../../../lib/group-by.js';
import type { PageId, RuleId } from '../../../lib/ids.js';
import { ServiceError } from '../../../lib/service-error.js';
import { dayMs, hourMs, minuteMs, secondMs } from '../../../lib/times.js';
import { manageBodyRoute } from '../../manage/manage-route.js';
import type { ManageRouteList, ManageRoutesDeps } from './deps.js';

type Deps = Pick<ManageRoutesDeps, 'sql' | 'clock' | 'pageStores'>;
type Range = { from: number; to: number };

/** A minute counts when it is over for so long, as in looks at rules. */
const settleMs = 15 * secondMs;
/** The four weeks before a window say what is usual. */
const usualMs = 28 * dayMs;

/** Tries a rule on figures of the past, whether it is saved or not. */
export function rulePreviewRoutes(deps: ManageRoutesDeps): ManageRouteList {
  return [
    manageBodyRoute({
      ...{ method: 'POST', path: '/api/v1/pages/:page/rules/preview', operationId: 'previewRule' },
      summary: 'When a rule would have fired',
      description: `When a rule would have fired in the last ${rulePreviewLimits.days} days, with its figures. Changes nothing. Minutes are kept for two weeks, so the series is shorter by the length of the window`,
      permission: 'telemetry.read',
      body: { schema: PutRule, bytesMax },
      answers: { 200: RulePreview },
      errors: ['invalidBody', 'sqlTooExpensive', 'ownStoreUnavailable'],
      async manage({ ctx, page, body }) {
        const fields = withDefaults({ ...body, slug: body.slug ?? 'preview' });
        checkRule(fields);
        ctx.set('cache-control', 'no-store');
        const now = deps.clock.now();
        // Figures without the events that are acknowledged and on their way would make the last minutes look quiet.
        const oldestMissing = await deps.pageStores.settle(page.id);
        const at = new Date(now);
        // A rule that is not saved has no id, and nothing asks for it.
        const rule: Rule = { ...fields, id: '' as RuleId, pageId: page.id, createdAt: at, updatedAt: at };
        ctx.body = await preview(deps, rule, now);
        ctx.set('heartline-as-of', new Date(oldestMissing ?? now).toISOString());
      },
    }),
  ];
}

async function preview(deps: Deps, rule: Rule, now: number): Promise<Preview> {
  const to = Math.floor((now - settleMs) / minuteMs) * minuteMs;
  const windowMinutes = rule.condition.longMinutes ?? rule.condition.windowMinutes ?? 0;
  const range = { from: to - rulePreviewLimits.days * dayMs + windowMinutes * minuteMs, to };
  const line = lineOf(rule);
  const observe = await observerOf(deps, rule, range);
  const looks: PastLooks =
    observe === undefined
      ? { stepMinutes: 60, groups: [], firings: [], firingMs: 0 }
      : previewRule(rule, range, line.direction, observe);
  return {
    ...{ from: iso(range.from), to: iso(range.to), stepMinutes: looks.stepMinutes, ...line },
    groups: looks.groups.slice(0, rulePreviewLimits.groups),
    firings: looks.firings
      .slice(-rulePreviewLimits.firings)
      .reverse()
      .map(({ group, startedAt, endedAt }) => ({
        ...{ group, startedAt: iso(startedAt), endedAt: endedAt === null ? null : iso(endedAt) },
      })),
    count: looks.firings.length,
    firingSeconds: looks.firingMs / secondMs,
    unknown: observe === undefined ? unknownOf(rule) : null,
  };
}

function unknownOf({ kind, target }: Rule): string {
  if (kind === 'burn-rate') return `Minutes of the objective ${target.objective ?? ''} are not kept.`;
  return `The past of a rule of the kind ${kind} is not kept by the minute. It is looked at from now on.`;
}

type Observer = ReturnType<typeof observeRequests>;

/** Returns what looks at the past of a rule; `undefined` when nothing is kept of it. */
async function observerOf(deps: Deps, rule: Rule, range: Range): Promise<Observer | undefined> {
  const isOfRequests = requestRuleKinds.some((kind) => kind === rule.kind);
  if (isOfRequests) return observeRequests(rule, await loadGroups(deps, rule, range));
  return rule.kind === 'burn-rate' ? observeObjective(deps, rule, range) : undefined;
}

async function loadGroups({ pageStores }: Deps, rule: Rule, { from, to }: Range): Promise<PastGroup[]> {
  const reader = pageStores.clickhouseOf(rule.pageId);
  const { service, endpoint, method } = rule.target;
  const target = {
    ...{ ...(service !== undefined && { service }), ...(endpoint !== undefined && { endpoint }) },
    ...(method !== undefined && { method }),
  };
  const asked = { pageId: rule.pageId, level: levelOf(rule), target };
  const windowMs = (rule.condition.windowMinutes ?? 1) * minuteMs;
  const worst = {
    by: rule.kind === 'failure-rate' ? 'errors' : 'requests',
    limit: rulePreviewLimits.groups,
  } as const;
  const whole = { from: Math.floor(from / hourMs) * hourMs, to: Math.ceil(to / hourMs) * hourMs };
  const groups = await loadWorstGroups(reader, { ...asked, ...whole }, worst);
  if (groups.length === 0) return [];
  const isTimed = rule.kind === 'latency';
  const minutes = await loadPast(reader, {
    ...{ ...asked, groups, from: from - windowMs, to, step: 'minute', isTimed },
  });
  const comparesWithUsual = rule.condition.belowPercentOfUsual !== undefined;
  const past = { from: whole.from - usualMs - windowMs - hourMs, to: whole.to };
  const hours = comparesWithUsual
    ? await loadPast(reader, { ...asked, groups, ...past, step: 'hour', isTimed: false })
    : [];
  const [minutesOf, hoursOf] = [groupBy(minutes, keyOf), groupBy(hours, keyOf)];
  return groups.map((names) => ({
    ...names,
    ...{ minutes: minutesOf.get(keyOf(names)) ?? [], hours: hoursOf.get(keyOf(names)) ?? [] },
  }));
}

function keyOf({ service, endpoint, method }: Pick<PastRow, 'service' | 'endpoint' | 'method'>): string {
  return JSON.stringify([service, endpoint, method]);
}

async function observeObjective(
  { sql, pageStores }: Deps,
  rule: Rule,
  { from, to }: Range,
): Promise<Observer | undefined> {
  const { pageId, target, condition } = rule;
  const objective = await loadObjectiveOf({ sql }, pageId, target.objective ?? '');
  if (!('requests' in objective.sli)) return undefined;
  const period = { from: from - (condition.longMinutes ?? 0) * minuteMs, to };
  const clickhouse = pageStores.clickhouseOf(pageId);
  const minutes = await loadMinutes({ clickhouse }, { pageId, sli: objective.sli.requests }, period);
  return observeBurnRate(rule, minutes, (counts) => burnRate(counts, objective.target));
}

async function loadObjectiveOf({ sql }: Pick<Deps, 'sql'>, pageId: PageId, slug: string) {
  const objective = await findObjective(sql, { pageId, slug });
  if (objective !== undefined) return objective;
  throw new ServiceError('invalidBody', {
    message: `/target/objective: the page has no objective "${slug}".`,
  });
}

const iso = (time: number): string => new Date(time).toISOString();
