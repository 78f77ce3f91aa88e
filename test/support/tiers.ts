import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const testSources = new URL('../../../test/', import.meta.url);

/** Fourteen journeys of people in a browser, from the beginning to the end, with one scan of each screen. */
const journeys = [
  'browser/account.test.ts',
  'browser/subscribe.test.ts',
  'browser/visitors.test.ts',
  'browser/dashboard/boards.test.ts',
  'browser/dashboard/incidents.test.ts',
  'browser/dashboard/keys.test.ts',
  'browser/dashboard/maintenance.test.ts',
  'browser/dashboard/monitor-form.test.ts',
  'browser/dashboard/onboarding.test.ts',
  'browser/dashboard/people.test.ts',
  'browser/dashboard/sql-queries.test.ts',
  'browser/dashboard/sql.test.ts',
  'browser/dashboard/subscribers.test.ts',
  'browser/dashboard/traffic.test.ts',
];

/**
 * The second tier, `npm run test:system`: what kills, suspends and restarts whole stores, services and browsers, what
 * waits until a store, a client or another instance that went away is missed, and the long ones below.
 */
const systemTests = [
  'bin/',
  ...journeys,
  'deploy/',
  'docs/',
  'faults/',
  'stack/',
  'analytics/sql/killed-query.test.ts',
  'analytics/sql/sql-time-limit.test.ts',
  'api/event-store-drips.test.ts',
  'api/hang-up.test.ts',
  'api/postgres-away.test.ts',
  'api/read-turns.test.ts',
  'backup/back-up.test.ts',
  'backup/restore.test.ts',
  'cli/backup.test.ts',
  'cli/demo.test.ts',
  'cli/log-deliver-silent.test.ts',
  'cli/log-deliver.test.ts',
  'cli/store.test.ts',
  'cli/stores.test.ts',
  'clients/reporter/package.test.ts',
  'contract/answers-as-of.test.ts',
  'contract/database-health-postgres-away.test.ts',
  'contract/events-stores-away.test.ts',
  'contract/get-readyz.test.ts',
  'contract/manage/overview-stores.test.ts',
  'control/channels/channel-crash.test.ts',
  'control/contact-ways/person-crash.test.ts',
  'control/monitors/probe/instances.test.ts',
  'control/webhooks/webhook-crash.test.ts',
  'rollups/points-crashes.test.ts',
  'rollups/points-property.test.ts',
  'sql/cluster.test.ts',
  'sql/connection-lost.test.ts',
  'sql/own-store/migrate-own-store.test.ts',
  'sql/query-deadline.test.ts',
];

/** Models, large tables of cases, long histories and several instances: they took 30 % of the time of the first tier. */
const longTests = [
  'analytics/hostile-names.test.ts',
  'analytics/objectives/ending-now.test.ts',
  'analytics/objectives/good-and-totals.test.ts',
  'analytics/sql/door-attacks.test.ts',
  'analytics/sql/sql-attacks.test.ts',
  'analytics/sql/sql-fuzz.test.ts',
  'analytics/sql/sql-views.test.ts',
  'api/connection-limits.test.ts',
  'api/hostile-event-store.test.ts',
  'cli/alerts.test.ts',
  'cli/apply/alerting.test.ts',
  'cli/apply/apply.test.ts',
  'cli/apply/sequences.test.ts',
  'cli/import-others.test.ts',
  'cli/import-upptime.test.ts',
  'clients/reporter/adapters/templates-property.test.ts',
  'contract/account/provider.test.ts',
  'contract/equal-figures.test.ts',
  'contract/event-batch-ids.test.ts',
  'contract/event-limits-per-page.test.ts',
  'contract/hostile-values.test.ts',
  'contract/manage/nul.test.ts',
  'contract/openapi-answers.test.ts',
  'contract/otlp-both-signals.test.ts',
  'contract/otlp-bounds.test.ts',
  'contract/otlp-grpc.test.ts',
  'control/alerts/alerts-model.test.ts',
  'control/alerts/storm.test.ts',
  'control/alerts/watch-failure-rates.test.ts',
  'control/channels/send-message.test.ts',
  'control/channels/turns.test.ts',
  'control/contact-ways/send-to-person.test.ts',
  'control/incidents/disk-growth.test.ts',
  'control/incidents/incident-limits.test.ts',
  'control/incidents/reminders.test.ts',
  'control/monitors/lock-order.test.ts',
  'control/monitors/probe/probes.test.ts',
  'control/people/sign-in.test.ts',
  'control/rules/past-windows.test.ts',
  'control/subscribers/email-delivery.test.ts',
  'control/webhooks/webhook-failures.test.ts',
  'control/webhooks/webhooks-side-by-side.test.ts',
  'database-health/pool-merging.test.ts',
  'database-health/pool-reports.test.ts',
  'examples/fastify-pg.test.ts',
  'ingest/cumulative/close.test.ts',
  'ingest/log/deliver-left.test.ts',
  'ingest/log/log-commit-failures.test.ts',
  'ingest/log/log-commit.test.ts',
  'ingest/log/power-failure.test.ts',
  'rollups/points-cases.test.ts',
  'rollups/points-changes.test.ts',
  'rollups/series/read-observed.test.ts',
  'rollups/series/read-series.test.ts',
  'service/jobs.test.ts',
  'service/remove-pages.test.ts',
  'service/roles.test.ts',
  'service/slow-query-rule.test.ts',
  'service/told-within-a-minute.test.ts',
  'service/watch-queries.test.ts',
  'sql/copy-tables.test.ts',
  'sql/migrate-lasting-figures.test.ts',
  'sql/migrate-latency-buckets.test.ts',
  'sql/migrate.test.ts',
  'sql/own-store/hostile-answers.test.ts',
  'sql/own-store/own-store-reads.test.ts',
];

/**
 * Only the third tier has these. They take more than half a minute for what few changes touch, for the product's own waits,
 * or for what a quicker test of the second tier tries in a smaller way.
 */
const longestTests = [
  'analytics/sql/sql-scan.test.ts',
  'bin/build.test.ts',
  'bin/interrupted.test.ts',
  'cli/demo-dashboard.test.ts',
  'deploy/dashboards.test.ts',
  'docs/commands.test.ts',
  'faults/maintenance-killed.test.ts',
  'faults/process-reads.test.ts',
  'faults/query-stuck.test.ts',
  'faults/reporter-adapters.test.ts',
  'faults/rotate-secret-key.test.ts',
  'faults/routes/clickhouse-silent.test.ts',
  'faults/routes/postgres-silent.test.ts',
  'stack/confine/without-landlock.test.ts',
];

/**
 * The third tier, `npm run test:all`: what needs the packages of `test/all/package.json`, or takes long. Files that are in
 * the second tier as well do more in this one: see `isThirdTier`.
 */
const allTests = ['all/', 'browser/', 'contract/manage/matrix.test.ts', 'faults/', ...longestTests];

/** Files that take longest. The slots begin with these, so that none is left alone with one at the end. */
const slowTests = [
  'faults/log-adopted.test.ts',
  'browser/dashboard/sql.test.ts',
  'browser/dashboard/sql-queries.test.ts',
  'browser/dashboard/monitor-form.test.ts',
  'browser/dashboard/incidents.test.ts',
  'browser/dashboard/traffic.test.ts',
  'faults/batch-ids.test.ts',
  'cli/demo.test.ts',
  'cli/backup.test.ts',
  'api/hang-up.test.ts',
  'database-health/pool-reports.test.ts',
  'contract/openapi-answers.test.ts',
  'rollups/points-changes.test.ts',
  'control/subscribers/email-delivery.test.ts',
  'contract/post-v1-database-health-observations-refused.test.ts',
  'contract/post-v1-database-health-reports.test.ts',
  'contract/post-public-subscribers.test.ts',
  'cli/apply/apply.test.ts',
  'cli/checks-import.test.ts',
];

/**
 * Whether the third tier runs, in which tests repeat a fault with the other acknowledgement, scan each screen in every
 * theme and width, and run every command of the docs. `HEARTLINE_TEST_TIER=all npm test -- FILE` runs one file like this.
 */
export const isThirdTier = process.env['HEARTLINE_TEST_TIER'] === 'all';

/** Options of a test that takes long. */
export const inThirdTier = isThirdTier ? {} : { skip: 'this takes long: npm run test:all' };

export type Tier = 'unit' | 'system' | 'all';

/**
 * The test files of a tier, as paths in `test/`. They are found among the sources, because a build folder may still
 * hold a file that has since been renamed. `unit` is all that `npm test` runs.
 */
export function listTests(tier: Tier): string[] {
  for (const path of [...systemTests, ...longTests, ...allTests, ...slowTests]) {
    if (!existsSync(new URL(path, testSources)))
      throw new Error(`There is no test/${path}; correct the list.`);
  }
  const tests = findTests();
  const isAll = (file: string) => allTests.some((path) => file.startsWith(path));
  if (tier === 'all') return tests.filter((file) => isAll(file) || doesMoreInThirdTier(file));
  const isSystem = (file: string) =>
    !longestTests.includes(file) && [...systemTests, ...longTests].some((path) => file.startsWith(path));
  const ordered = [...slowTests, ...tests.filter((file) => !slowTests.includes(file))];
  if (tier === 'system') return ordered.filter(isSystem);
  return ordered.filter((file) => !isAll(file) && !isSystem(file));
}

/** Whether a test of the first two tiers has more runs, more rows or further cases in the third. */
function doesMoreInThirdTier(file: string): boolean {
  return /\b(propertyOf|isThirdTier|inThirdTier)\b/.test(readFileSync(new URL(file, testSources), 'utf8'));
}

/** The tests below a folder of `test/`, which ends with a slash. The third tier has packages there, with 30,000 files. */
function findTests(folder = ''): string[] {
  const entries = readdirSync(new URL(folder, testSources), { withFileTypes: true });
  const found = entries.flatMap((entry) => {
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : findTests(`${folder}${entry.name}/`);
    return entry.name.endsWith('.test.ts') ? [folder + entry.name] : [];
  });
  return found.sort();
}

/** The files that a process may run one after another, see slot.ts: all of the first two tiers. */
export function listSharing(): string[] {
  return [...listTests('unit'), ...listTests('system')];
}

/**
 * The slots of a run: two cores have work for four. With six in the second tier, whose tests wait for processes and
 * browsers, 15 files missed their times on a slow machine and ran once more.
 */
export function listSlots(): string[] {
  return Array.from({ length: 4 }, (_, index) => builtPath(`slots/${index + 1}.ts`));
}

export function builtPath(file: string): string {
  return fileURLToPath(new URL(`../${file.replace(/ts$/, 'js')}`, import.meta.url));
}

/** The test files that a mistyped or renamed path may mean, the likeliest first: of the same name, then of its folder. */
export function nearestTests(path: string): string[] {
  const tests = findTests();
  const [name = '', ...folders] = path.split('/').reverse();
  const word = name.replace(/\.test\.tsx?$|\.tsx?$/, '');
  const sameName = tests.filter((file) => file.endsWith(`/${word}.test.ts`) || file === `${word}.test.ts`);
  const similar = tests.filter((file) => word !== '' && (file.split('/').at(-1) ?? '').includes(word));
  const sameFolder = tests.filter((file) => file.startsWith(`${folders.reverse().join('/')}/`));
  return [...new Set([...sameName, ...similar, ...sameFolder])].slice(0, 3);
}
