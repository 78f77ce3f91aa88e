import {
  acknowledgeAlert,
  changeAlertsOfRule,
  endAlertsOfRule,
  listAlerts,
} from '../../control/alerts/index.js';
import { findObjective, putObjective } from '../../control/objectives/index.js';
import {
  createPasswords,
  createUser,
  findUserByEmail,
  giveRole,
  type User,
  userActor,
} from '../../control/people/index.js';
import { putPolicy } from '../../control/policies/index.js';
import { putRule } from '../../control/rules/index.js';
import { putSchedule } from '../../control/schedules/index.js';
import type { PageId } from '../../lib/ids.js';
import type { Log } from '../../lib/log.js';
import { dayMs, minuteMs } from '../../lib/times.js';
import { lookAtRulesOf } from '../../service/jobs/watch-rules.js';
import {
  demoObjectives,
  demoPeople,
  demoRules,
  lateRule,
  moments,
  policyOf,
  scheduleFrom,
} from './alerting.js';
import type { DemoDeps } from './extent.js';
import type { FilledPage } from './fill.js';
import { plotTime, type Times } from './plot.js';

type Deps = DemoDeps & { log: Log };

/** Rules were made so long before the first of their alerts. */
const rulesAgoMs = 20 * dayMs;

/**
 * Gives a page rules, the alerts that they would have made in the last days, objectives, and people who are on call, unless it
 * has them. The alerts come from the figures of the page: the rules are looked at with the clock at past times. The people
 * cannot sign in, and have addresses of a domain that does not exist.
 */
export async function writeAlerting(
  deps: Deps,
  { page }: Pick<FilledPage, 'page'>,
  times: Times,
): Promise<void> {
  const pageId = page.id;
  // Written last, so that a run that was cut off is done again.
  const last = demoObjectives.at(-1)?.slug ?? '';
  if ((await findObjective(deps.sql, { pageId, slug: last })) !== undefined) return;
  const [first, ...others] = await makePeople(deps, pageId);
  if (first === undefined) return;
  const early = at(deps, times.filledAt - rulesAgoMs);
  await putRules(early, pageId, demoRules);
  const known = await listAlerts(deps, { pageId, state: 'all', limit: 1, after: undefined });
  if (known.length === 0) await relive(deps, pageId, { times, people: [first, ...others] });
  // An alert that somebody has acknowledged long ago calls nobody.
  await putSchedule(early, { pageId, slug: 'operations', fields: scheduleFrom(times.filledAt) });
  await putPolicy(early, { pageId, slug: 'on-call', fields: policyOf(first.email) });
  for (const objective of demoObjectives) await putObjective(early, { pageId, ...objective });
}

async function makePeople(deps: Deps, pageId: PageId): Promise<User[]> {
  const early = at(deps, deps.clock.now() - rulesAgoMs);
  const people: User[] = [];
  for (const person of demoPeople) {
    const user =
      (await findUserByEmail(deps.sql, person.email)) ??
      (await createUser({ ...early, passwords: createPasswords() }, person));
    await giveRole(early, { pageId, userId: user.id, role: 'responder' });
    people.push(user);
  }
  return people;
}

async function putRules(deps: Deps, pageId: PageId, rules: typeof demoRules): Promise<void> {
  const ruleDeps = { ...deps, endAlerts: endAlertsOfRule, changeAlerts: changeAlertsOfRule };
  for (const rule of rules) await putRule(ruleDeps, { pageId, ...rule });
}

/** Looks at the rules at each moment of the plot, and answers the alerts that began as people did. */
async function relive(
  deps: Deps,
  pageId: PageId,
  { times, people }: { times: Times; people: readonly User[] },
): Promise<void> {
  for (const { minute, answer } of moments) {
    const then = at(deps, plotTime(minute, times));
    await look(then, pageId);
    if (answer === undefined) continue;
    const person = people[answer.person];
    if (person === undefined) continue;
    const begun = await listAlerts(deps, { pageId, state: 'open', limit: 50, after: undefined });
    const answering = { ...at(deps, plotTime(answer.minute, times)), by: userActor(person) };
    for (const { id, acknowledgedAt } of begun) {
      if (acknowledgedAt === null) await acknowledgeAlert(answering, { pageId, id, note: answer.note });
    }
  }
  const lately = at(deps, times.filledAt - 24 * minuteMs);
  await putRules(lately, pageId, [lateRule]);
  await look(at(deps, times.filledAt - 23 * minuteMs), pageId);
}

function look(deps: Deps, pageId: PageId): Promise<void> {
  return lookAtRulesOf({ ...deps, clickhouseOf: () => deps.clickhouse }, pageId);
}

/** The dependencies as they were at a time, in milliseconds since the epoch. */
function at(deps: Deps, time: number): Deps {
  return { ...deps, clock: { now: () => time } };
}
