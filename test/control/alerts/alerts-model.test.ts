import fc from 'fast-check';
import t from 'tap';
import {
  acknowledgeAlert,
  changeAlertsOfRule,
  createSilence,
  endAlertsOfRule,
  endSilence,
  escalate,
  holdBack,
  listAlerts,
  resolveAlert,
  tellAlerts,
  watchRules,
} from '../../../control/alerts/index.js';
import { putPolicy } from '../../../control/policies/index.js';
import { putRule, type Rule, type RuleLook } from '../../../control/rules/index.js';
import type { ChannelId, PageId, RuleId } from '../../../lib/ids.js';
import { dayMs, minuteMs, secondMs } from '../../../lib/times.js';
import { testActor } from '../../support/actor.js';
import { loadMessages, makeChannel } from '../../support/channels.js';
import { testSecretKey } from '../../support/embedded-stores.js';
import { makePage } from '../../support/pages.js';
import { propertyOf } from '../../support/property.js';
import { silentLog } from '../../support/silent-log.js';
import { openTestPostgres } from '../../support/stores.js';

const { sql } = await openTestPostgres(t);
const begin = Math.floor(Date.now() / minuteMs) * minuteMs + 20 * secondMs;
let now = begin;
const deps = { sql, clock: { now: () => now }, log: silentLog, by: testActor, secretKey: testSecretKey };
const ruleDeps = { ...deps, endAlerts: endAlertsOfRule, changeAlerts: changeAlertsOfRule };
let pages = 0;

/** `shop` depends on `database`, which has a policy of two steps: to one channel, and two minutes later to another. */
const names = ['database', 'shop'] as const;
type Name = (typeof names)[number];
const looks = ['bad', 'good', 'none', 'error'] as const;
type Look = (typeof looks)[number];
const actions = ['nothing', 'acknowledge', 'resolve', 'silence', 'end-silence'] as const;
type Step = { looks: Record<Name, Look>; action: (typeof actions)[number]; on: Name };
type Settings = { forMinutes: number; resolveForMinutes: number; noData: 'ok' | 'keep' | 'alert' };

const settings = fc.record<Settings>({
  forMinutes: fc.integer({ min: 0, max: 2 }),
  resolveForMinutes: fc.integer({ min: 0, max: 2 }),
  noData: fc.constantFrom('ok', 'keep', 'alert'),
});
const look = fc.oneof(
  { weight: 4, arbitrary: fc.constant<Look>('bad') },
  { weight: 3, arbitrary: fc.constant<Look>('good') },
  { weight: 1, arbitrary: fc.constantFrom<Look>('none', 'error') },
);
const step = fc.record<Step>({
  looks: fc.record({ database: look, shop: look }),
  action: fc.oneof(
    { weight: 3, arbitrary: fc.constant<Step['action']>('nothing') },
    { weight: 2, arbitrary: fc.constantFrom(...actions) },
  ),
  on: fc.constantFrom(...names),
});

type Reached = 'first' | 'second';
/** An alert as the model knows it. `reached` are those who were told of its start. */
type ModelAlert = {
  isHidden: boolean;
  isOver: boolean;
  isAcknowledged: boolean;
  endTold: boolean;
  reached: Reached[] | undefined;
  /** The step of the policy that is next, and the minute of it. */
  next: { step: number; minute: number } | undefined;
};
type ModelRule = {
  /** The looks that counted, by minute. */
  seen: { minute: number; isBad: boolean }[];
  isFiring: boolean;
  alert: ModelAlert | undefined;
};

/** The rules in plain words: what has been seen, who is told when. Steps are a minute, so that no message waits for another. */
class Model {
  readonly rules: Record<Name, ModelRule> = {
    database: { seen: [], isFiring: false, alert: undefined },
    shop: { seen: [], isFiring: false, alert: undefined },
  };
  silenced: Name | undefined;
  minute = 0;

  constructor(private readonly settings: Record<Name, Settings>) {}

  act({ action, on }: Step): void {
    const { alert } = this.rules[on];
    const isOpen = alert !== undefined && !alert.isOver;
    if (action === 'silence' && this.silenced === undefined) this.silenced = on;
    else if (action === 'end-silence') this.silenced = undefined;
    if (action === 'acknowledge' && isOpen) alert.isAcknowledged = true;
    if (action === 'resolve' && isOpen) alert.isOver = true;
    if (action === 'silence' || action === 'end-silence') this.hide({ isHeld: false });
  }

  /** Returns the messages of the step. */
  look({ looks }: Step): string[] {
    this.minute += 1;
    for (const name of names) this.see(name, looks[name]);
    this.hide({ isHeld: true });
    return [...names.flatMap((name) => this.tell(name)), ...this.climb()];
  }

  private see(name: Name, look: Look): void {
    const rule = this.rules[name];
    const { forMinutes, resolveForMinutes, noData } = this.settings[name];
    const found = look === 'none' ? { ok: 'good', keep: 'error', alert: 'bad' }[noData] : look;
    if (found === 'error') return;
    rule.seen.push({ minute: this.minute, isBad: found === 'bad' });
    const last = rule.seen.findLastIndex(({ isBad }) => isBad !== (found === 'bad'));
    const since = rule.seen[last + 1]?.minute ?? this.minute;
    const lasted = this.minute - since;
    if (!rule.isFiring && found === 'bad' && lasted >= forMinutes) {
      rule.isFiring = true;
      rule.alert = {
        ...{ isHidden: false, isOver: false, isAcknowledged: false, endTold: false },
        ...{ reached: undefined, next: undefined },
      };
    } else if (rule.isFiring && found === 'good' && lasted >= resolveForMinutes) {
      rule.isFiring = false;
      if (rule.alert !== undefined) rule.alert.isOver = true;
    }
  }

  /** Whether something holds the message back is decided while the alert lasts. */
  private hide({ isHeld }: { isHeld: boolean }): void {
    for (const name of names) {
      const { alert } = this.rules[name];
      if (alert === undefined || alert.isOver) continue;
      const waits = alert.reached === undefined && name === 'shop' && this.isHeldBack(isHeld, alert);
      this.held.set(alert, waits);
      alert.isHidden = this.silenced === name || waits;
    }
  }

  private readonly held = new Map<ModelAlert, boolean>();

  /** A silence that begins or ends decides nothing about what is held back. */
  private isHeldBack(isDecided: boolean, alert: ModelAlert): boolean {
    return isDecided ? this.rules.database.isFiring : (this.held.get(alert) ?? false);
  }

  private tell(name: Name): string[] {
    const { alert } = this.rules[name];
    if (alert === undefined) return [];
    const said: string[] = [];
    if (alert.reached === undefined && !alert.isHidden) {
      alert.reached = name === 'shop' ? ['first', 'second'] : [];
      said.push(...alert.reached.map((one) => `${one}: ${name} begins`));
      // The end of one that nobody heard of is told with its start, which a policy has no time to tell.
      if (name === 'database' && !alert.isOver) alert.next = { step: 0, minute: this.minute };
    }
    if (alert.reached !== undefined && alert.isOver && !alert.endTold) {
      alert.endTold = true;
      alert.next = undefined;
      said.push(...alert.reached.map((one) => `${one}: ${name} ends`));
    }
    return said;
  }

  private climb(): string[] {
    const { alert } = this.rules.database;
    if (alert?.next === undefined || alert.next.minute > this.minute || alert.isOver) return [];
    if (alert.isAcknowledged || this.silenced === 'database') {
      alert.next.minute = this.minute + 1;
      return [];
    }
    const channel = (['first', 'second'] as const)[alert.next.step];
    if (channel === undefined) {
      alert.next = undefined;
      return [];
    }
    alert.reached?.push(channel);
    alert.next = { step: alert.next.step + 1, minute: this.minute + 2 };
    return [`${channel}: database begins`];
  }
}

/** The service on its stores, which looks at what the test says. */
async function openPage(of: Record<Name, Settings>) {
  const { id: pageId } = await makePage(sql, { slug: `model-${++pages}` });
  await sql`delete from rules`;
  const channels: Partial<Record<Reached, ChannelId>> = {};
  for (const name of ['first', 'second'] as const) {
    const { id } = await makeChannel(deps, pageId, { settings: { url: 'https://hooks.example.com/' } });
    await sql`update channels set name = ${name} where id = ${id}`;
    channels[name] = id;
  }
  const steps = [
    { notify: [{ channel: 'first' }], waitMinutes: 2 },
    { notify: [{ channel: 'second' }], waitMinutes: 2 },
  ];
  await putPolicy(deps, { pageId, slug: 'on-call', fields: { name: 'On call', steps, repeat: 0 } });
  for (const name of names) {
    const { forMinutes, resolveForMinutes, noData } = of[name];
    await putRule(ruleDeps, {
      ...{ pageId, slug: name, name, kind: 'failure-rate', target: { service: name }, noData },
      ...{ condition: { percent: 5, windowMinutes: 1 }, policy: name === 'database' ? 'on-call' : null },
      ...{ forSeconds: forMinutes * 60, resolveForSeconds: resolveForMinutes * 60 },
      dependsOn: name === 'shop' ? [{ rule: 'database' }] : [],
    });
  }
  return { pageId, channels };
}

/** Each step until the first that went wrong. */
function describe(steps: readonly Step[], found: string[][], expected: string[][]): string {
  const wrong = found.findIndex((said, i) => `${said}` !== `${expected[i]}`);
  const lines = steps.slice(0, wrong + 1).map(({ looks, action, on }, i) => {
    return `${i} ${looks.database}/${looks.shop} ${action} ${on}: ${found[i]} | ${expected[i]}`;
  });
  return lines.join('\n');
}

const observed = { bad: { value: 50 }, good: { value: 0 }, none: {} } as const;

async function lookAtAll(found: Record<Name, Look>): Promise<void> {
  const lookOf = ({ slug }: Rule): RuleLook => {
    const one = found[slug === 'shop' ? 'shop' : 'database'];
    if (one === 'error') return { error: 'The figures could not be read.' };
    return { observations: [{ group: '', look: one, ...observed[one] }] };
  };
  await watchRules({
    ...deps,
    lookersOf: () => [
      {
        kinds: ['failure-rate'],
        look: async (rules) => rules.map((rule): [RuleId, RuleLook] => [rule.id, lookOf(rule)]),
      },
    ],
    loadEvidence: async () => ({}),
  });
  await holdBack(sql, now);
  await tellAlerts(deps);
  await escalate(deps);
}

async function act(pageId: PageId, { action, on }: Step, silences: string[]): Promise<void> {
  const query = { pageId, state: 'open', rule: on, limit: 1, after: undefined } as const;
  const [alert] = await listAlerts(deps, query);
  if (action === 'acknowledge' && alert !== undefined) await acknowledgeAlert(deps, { pageId, id: alert.id });
  if (action === 'resolve' && alert !== undefined) await resolveAlert(deps, { pageId, id: alert.id });
  if (action === 'silence' && silences.length === 0) {
    const all = { service: null, endpoint: null, severity: null, note: '' };
    const { id } = await createSilence(deps, { pageId, rule: on, ...all, endsAt: now + dayMs });
    silences.push(id);
  }
  if (action === 'end-silence') for (const id of silences.splice(0)) await endSilence(deps, { pageId, id });
}

t.test('for any data, answers, silences and dependencies, each message is sent when it should', async (t) => {
  const told = new Set<string>();
  await fc.assert(
    fc.asyncProperty(
      fc.record({ database: settings, shop: settings }),
      fc.array(step, { minLength: 5, maxLength: 25 }),
      async (of, steps) => {
        const { pageId, channels } = await openPage(of);
        const model = new Model(of);
        const silences: string[] = [];
        const expected: string[][] = [];
        const found: string[][] = [];
        const seen = { first: 0, second: 0 };
        for (const one of steps) {
          // Between two looks, so that both are in their turn.
          now += 30 * secondMs;
          await act(pageId, one, silences);
          model.act(one);
          now += 30 * secondMs;
          await lookAtAll(one.looks);
          expected.push(model.look(one).sort());
          const said: string[] = [];
          for (const channel of ['first', 'second'] as const) {
            const id = channels[channel];
            const messages = id === undefined ? [] : await loadMessages(sql, id);
            for (const { event, title } of messages.slice(seen[channel]))
              said.push(
                `${channel}: ${/database|shop/.exec(title)?.[0]} ${event.endsWith('high') ? 'begins' : 'ends'}`,
              );
            seen[channel] = messages.length;
          }
          found.push(said.sort());
          for (const message of said) told.add(message);
        }
        if (JSON.stringify(found) !== JSON.stringify(expected))
          throw new Error(describe(steps, found, expected));
      },
    ),
    { ...propertyOf(t, { few: 12, many: 200 }), includeErrorInReport: true },
  );
  t.strictSame(
    [...told].sort(),
    ['first', 'second'].flatMap((channel) =>
      names.flatMap((name) => [`${channel}: ${name} begins`, `${channel}: ${name} ends`]),
    ),
    'every message came up',
  );
});
