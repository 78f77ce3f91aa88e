import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { seeded } from '../../bench/support/batches.js';
import { changeAlertsOfRule, endAlertsOfRule } from '../../control/alerts/index.js';
import { putRule } from '../../control/rules/index.js';
import type { PageId } from '../../lib/ids.js';
import { hourMs, minuteMs, secondMs } from '../../lib/times.js';
import { insertRequests } from '../analytics/support.js';
import { testActor } from '../support/actor.js';
import { makeChannel } from '../support/channels.js';
import { makePage } from '../support/pages.js';
import { openStores } from '../support/stores.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { waitUntil } from '../support/wait-until.js';
import type { RulesEvent } from './rules-process.js';

/** How long instances are killed and suspended; HEARTLINE_TEST_RULES_SECONDS=600 takes ten minutes. */
const seconds = Number(process.env['HEARTLINE_TEST_RULES_SECONDS'] ?? 30);
const [pages, rulesPerPage] = [20, 10];
/** When a minute is looked at: the one before is over, and this one still runs. */
const lookSeconds = [20, 50];
/** After the last outage: the end of it is found and told, at most once a minute for each page. */
const quietMinutes = 4;

const { sql, clickhouse, databaseUrl, clickhouseUrl } = await openStores(t);
const clockFile = join(await temporaryFolder(t), 'clock');
const begin = Math.floor(Date.now() / hourMs) * hourMs - 24 * hourMs;
const seed = Number(process.env['FAULT_SEED'] ?? randomInt(2 ** 31));
t.comment(`FAULT_SEED=${seed}`);

function setClock(at: number): void {
  // A process reads the old time or the new one, and nothing between them.
  writeFileSync(`${clockFile}.new`, `${at}`);
  renameSync(`${clockFile}.new`, clockFile);
}

type Outage = { rule: number; from: number; to: number };

/** Outages of one to four minutes, with two to twelve good ones between them, for each rule by chance. */
function makeOutages() {
  const random = seeded(seed);
  const upTo = (most: number) => 1 + Math.floor(random() * most);
  const turns = Array.from({ length: pages * rulesPerPage }, () => ({ isBad: false, until: upTo(12) }));
  const outages: Outage[] = [];
  return {
    outages,
    /** Returns whether the requests of a rule fail in a minute. `isOver` begins no further outage, and ends those that last. */
    fails(rule: number, minute: number, isOver: boolean): boolean {
      const turn = turns[rule];
      if (turn === undefined) throw new Error(`There is no rule ${rule}.`);
      if (minute >= turn.until || (isOver && turn.isBad)) {
        const last = outages.findLast((one) => one.rule === rule);
        if (turn.isBad && last !== undefined) last.to = minute;
        turn.isBad = !turn.isBad && !isOver;
        if (turn.isBad) outages.push({ rule, from: minute, to: minute });
        turn.until = minute + (turn.isBad ? upTo(4) : 1 + upTo(11));
      }
      return turn.isBad;
    },
  };
}

async function makePages(): Promise<PageId[]> {
  const deps = { sql, clock: { now: () => begin }, by: testActor };
  const ruleDeps = { ...deps, endAlerts: endAlertsOfRule, changeAlerts: changeAlertsOfRule };
  const made: PageId[] = [];
  for (const page of Array(pages).keys()) {
    const { id: pageId } = await makePage(sql, { slug: `page-${page}` });
    await sql`delete from rules where page_id = ${pageId}`;
    await makeChannel(deps, pageId, { settings: { url: 'https://hooks.example.com/' } });
    for (const i of Array(rulesPerPage).keys()) {
      await putRule(ruleDeps, {
        ...{ pageId, slug: `rule-${page * rulesPerPage + i}`, name: `Rule ${i}`, kind: 'failure-rate' },
        ...{ target: { service: `s${i}` }, condition: { percent: 50, windowMinutes: 1 } },
      });
    }
    made.push(pageId);
  }
  return made;
}

type Instance = {
  child: ChildProcess;
  passes: number;
  /** When the pass that runs began, by the clock of this process; undefined between passes. */
  begunAt: number | undefined;
  /** The minutes after which a suspended one continues. */
  suspendedSteps: number | undefined;
};

/** Two instances, of which one at a time is killed or suspended. */
function openInstances(t: Test) {
  const random = seeded(seed + 1);
  const entry = fileURLToPath(new URL('rules-process.js', import.meta.url));
  const found = {
    doneTo: 0,
    passMs: 0,
    passes: 0,
    kills: 0,
    stops: 0,
    cut: 0,
    complaints: new Set<string>(),
  };

  function open(): Instance {
    const args = [entry, databaseUrl, clickhouseUrl, clockFile];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    const instance: Instance = { child, passes: 0, begunAt: undefined, suspendedSteps: undefined };
    child.on('message', (event: RulesEvent) => {
      if (event.event === 'complaint') found.complaints.add(event.text);
      if (event.event === 'begun') instance.begunAt = performance.now();
      if (event.event !== 'ended') return;
      instance.passes += 1;
      found.passes += 1;
      if (instance.begunAt !== undefined) found.passMs = performance.now() - instance.begunAt;
      instance.begunAt = undefined;
      found.doneTo = Math.max(found.doneTo, event.at);
    });
    return instance;
  }

  const running = [open(), open()];
  t.teardown(() => running.map(({ child }) => child.kill('SIGKILL')));

  function resume(): void {
    for (const one of running) {
      if (one.suspendedSteps === undefined) continue;
      one.suspendedSteps = undefined;
      one.child.kill('SIGCONT');
    }
  }

  /** Kills or suspends one of those that have ended a pass, at a random moment of the next one. */
  async function disturb(): Promise<void> {
    const victims = running.filter(
      ({ passes, suspendedSteps }) => passes > 0 && suspendedSteps === undefined,
    );
    const victim = victims[Math.floor(random() * victims.length)];
    if (victim === undefined || random() < 0.2) return;
    const { passes } = victim;
    await waitUntil('it looks', () => victim.begunAt !== undefined || victim.passes > passes, patienceMs);
    await wait(random() * found.passMs);
    const isCut = victim.begunAt !== undefined;
    const mayStop = running.every(({ suspendedSteps }) => suspendedSteps === undefined);
    if (mayStop && random() < 0.4) {
      victim.child.kill('SIGSTOP');
      victim.suspendedSteps = 1 + Math.floor(random() * 6);
      found.stops += 1;
    } else {
      victim.child.kill('SIGKILL');
      await once(victim.child, 'exit');
      running[running.indexOf(victim)] = open();
      found.kills += 1;
    }
    if (isCut) found.cut += 1;
  }

  /** Waits until an instance has looked at all rules at a time. */
  async function passEnds(at: number): Promise<void> {
    const began = performance.now();
    const isDone = () => {
      // The one that is suspended may hold rows that the other waits for.
      if (performance.now() - began > lockedMs) resume();
      return found.doneTo >= at;
    };
    await waitUntil('a pass ends', isDone, patienceMs);
    for (const one of running) {
      if (one.suspendedSteps === undefined) continue;
      one.suspendedSteps -= 1;
      if (one.suspendedSteps === 0) resume();
    }
  }

  return { found, running, disturb, passEnds, resume };
}

/** For a machine that is busy: a pass takes a second or two. */
const patienceMs = 60_000;
const lockedMs = 2_000;

/** Compares with the times at which alerts must have begun and ended, to the second. */
async function findWrong(outages: readonly Outage[]): Promise<string[]> {
  const at = (minute: number, second: number) =>
    new Date(begin + minute * minuteMs + second * secondMs).toISOString();
  const wanted = outages.map(({ rule, from, to }) => `rule-${rule} ${at(from, 50)} to ${at(to + 1, 20)}`);
  const rows = await sql<{ slug: string; startedAt: Date; resolvedAt: Date | null }[]>`
    select rule_slug as slug, started_at as "startedAt", resolved_at as "resolvedAt" from alerts`;
  const made = rows.map(
    ({ slug, startedAt, resolvedAt }) => `${slug} ${startedAt.toISOString()} to ${resolvedAt?.toISOString()}`,
  );
  const missing = wanted.filter((one) => !made.includes(one)).map((one) => `missing: ${one}`);
  const further = made.filter((one) => !wanted.includes(one)).map((one) => `further: ${one}`);
  const twice = made.filter((one, i) => made.indexOf(one) !== i).map((one) => `twice: ${one}`);
  return [...missing, ...further, ...twice].sort();
}

t.test(
  'two instances, killed and suspended at random: each outage is one alert, told once, and its end once behind it',
  { timeout: (seconds + 300) * secondMs },
  async (t) => {
    const pageIds = await makePages();
    const { outages, fails } = makeOutages();
    setClock(begin);
    const { found, running, disturb, passEnds, resume } = openInstances(t);
    const endAt = performance.now() + seconds * secondMs;
    let minute = 1;
    for (let quiet = 0; quiet < quietMinutes; minute += 1) {
      const isOver = performance.now() > endAt;
      if (isOver) quiet += 1;
      await Promise.all(
        pageIds.map((pageId, page) => {
          const rows = Array.from({ length: rulesPerPage }, (_, i) => ({
            ...{ service: `s${i}`, at: begin + minute * minuteMs, requests: 10 },
            status: fails(page * rulesPerPage + i, minute, isOver) ? 503 : 200,
          }));
          return insertRequests(clickhouse, pageId, rows);
        }),
      );
      for (const second of lookSeconds) {
        const at = begin + minute * minuteMs + second * secondMs;
        setClock(at);
        await Promise.all([disturb(), passEnds(at)]);
      }
    }
    // One that was suspended ends what it began long ago.
    resume();
    const passes = running.map((one) => one.passes);
    setClock(begin + minute * minuteMs);
    await waitUntil(
      'both end a pass',
      () => running.every((one, i) => one.passes > (passes[i] ?? 0)),
      patienceMs,
    );

    t.strictSame(await findWrong(outages), [], 'each outage is one alert');
    const messages = await sql<{ events: string; alerts: number }[]>`
      select string_agg(m.event, ' ' order by m.seq) as events,
        (select count(*)::integer from alerts a where a.told_batch = m.alarm_id and a.end_told_at is not null) as alerts
      from channel_messages m group by m.alarm_id`;
    const odd = messages.filter(({ events }) => events !== 'failure-rate.high failure-rate.normal');
    t.strictSame(odd, [], 'each message has its end, once and behind it');
    const told = messages.reduce((sum, { alerts }) => sum + alerts, 0);
    t.equal(told, outages.length, 'every alert was told with one message, and so was its end');
    t.strictSame([...found.complaints], []);
    t.ok(found.cut > 0, 'some passes were cut off');
    const { kills, stops, cut } = found;
    t.comment(
      `${minute} minutes, ${found.passes} passes, ${kills} kills and ${stops} stops of which ${cut} within a pass, ${outages.length} alerts in ${messages.length} messages`,
    );
  },
);
