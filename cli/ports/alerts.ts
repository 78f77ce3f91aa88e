import Type, { type Static } from 'typebox';
import { ManagedAlertRule, type SetAlertRule } from '../../contract/manage/alert-rule.js';
import type { WatchedRule } from '../../control/alerts/index.js';
import { findAlertRule, removeAlertRule, setAlertRule } from '../../control/alerts/index.js';
import { ServiceError } from '../../lib/service-error.js';
import type { CommandContext } from '../core/context.js';
import { Nothing, type Remote } from '../remote/remote.js';

export type ShownRule = Static<typeof ManagedAlertRule>;

/** The alert rules of the pages of an installation, on its stores or over HTTP. */
export type Alerts = {
  /** null when the page has no rule. */
  find(page: string): Promise<ShownRule | null>;
  set(page: string, settings: SetAlertRule): Promise<ShownRule>;
  /** Returns whether the page had a rule. */
  remove(page: string): Promise<boolean>;
};

export function alertsOf(context: CommandContext): Alerts {
  return context.remote === undefined ? localAlerts(context) : remoteAlerts(context.remote);
}

function localAlerts(context: CommandContext): Alerts {
  return {
    async find(page) {
      const { pageId, sql } = await context.openPage(page);
      const rule = await findAlertRule({ sql }, pageId);
      return rule === undefined ? null : toManagedRule(rule);
    },
    async set(page, { minimumRequests: requestsMin, ...settings }) {
      const { pageId, ...deps } = await context.openPage(page);
      return toManagedRule(await setAlertRule(deps, { pageId, requestsMin, ...settings }));
    },
    async remove(page) {
      const { pageId, ...deps } = await context.openPage(page);
      return removeAlertRule(deps, { pageId });
    },
  };
}

function remoteAlerts(remote: Remote): Alerts {
  const pathOf = async (page: string) => `${await remote.pathOf(page)}/alert-rule`;
  /** A page without a rule has nothing at its path, and neither has a page that does not exist. */
  const ifThere = async <T>(page: string, work: Promise<T>): Promise<T | null> =>
    work.catch(async (error: unknown) => {
      if (!(error instanceof ServiceError) || error.kind !== 'notFound') throw error;
      await remote.send('GET', await remote.pathOf(page), { answer: Type.Unknown() });
      return null;
    });
  return {
    async find(page) {
      return ifThere(page, remote.send('GET', await pathOf(page), { answer: ManagedAlertRule }));
    },
    async set(page, body) {
      return remote.send('PUT', await pathOf(page), { answer: ManagedAlertRule, body });
    },
    async remove(page) {
      const sent = remote.send('DELETE', await pathOf(page), { answer: Nothing }).then(() => true);
      return (await ifThere(page, sent)) ?? false;
    },
  };
}

function toManagedRule({ thresholdPercent, windowSeconds, requestsMin, incidentId }: WatchedRule): ShownRule {
  return { thresholdPercent, windowSeconds, minimumRequests: requestsMin, incidentId };
}
