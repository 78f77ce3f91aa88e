import {
  type RulePreview as Preview,
  RulePreview,
  rulePreviewLimits,
} from '../../../contract/manage/rule-preview.js';
import { PutRule } from '../../../contract/manage/rules.js';
import { manageBodyBytesMax as bytesMax } from '../../../contract/manage/shared.js';
import { checkRule, lineOf, previewRule, type Rule, withDefaults } from '../../../control/rules/index.js';
import type { RuleId } from '../../../lib/ids.js';
import { dayMs, minuteMs, secondMs } from '../../../lib/times.js';
import { manageBodyRoute } from '../../manage/manage-route.js';
import { findPast, type PastDeps } from '../../rules/find-past.js';
import type { ManageRouteList, ManageRoutesDeps } from './deps.js';

/** A minute counts when it is over for so long, as in looks at rules. */
const settleMs = 15 * secondMs;
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

async function preview(deps: PastDeps, rule: Rule, now: number): Promise<Preview> {
  const to = Math.floor((now - settleMs) / minuteMs) * minuteMs;
  const windowMinutes = rule.condition.longMinutes ?? rule.condition.windowMinutes ?? 0;
  const range = { from: to - rulePreviewLimits.days * dayMs + windowMinutes * minuteMs, to };
  const line = lineOf(rule);
  const past = await findPast(deps, rule, range);
  const looks = typeof past === 'string' ? nothing : previewRule(rule, range, line.direction, past);
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
    unknown: typeof past === 'string' ? past : null,
  };
}

const nothing = { stepMinutes: 60, groups: [], firings: [], firingMs: 0 };

const iso = (time: number): string => new Date(time).toISOString();
