import type { RequestListener } from 'node:http';
import type { PageSqlDeps } from '../analytics/sql/run-sql.js';
import type { KeyCache } from '../control/keys/index.js';
import type { PoolReports } from '../database-health/pool-reports/pool-reports.js';
import type { PageStores } from '../ingest/commit/page-stores.js';
import type { Ingest } from '../ingest/pipeline.js';
import type { RejectionCounts } from '../ingest/rejections/count-rejections.js';
import type { Clock } from '../lib/clock.js';
import type { Log } from '../lib/log.js';
import type { PrivateAddresses } from '../lib/outbound/address-guard.js';
import { createPasswords, type ScryptParameters } from '../lib/secrets/passwords.js';
import { pageOrigin } from '../lib/web-address.js';
import type { ClickHouseClient } from '../sql/open-clickhouse.js';
import type { Sql } from '../sql/open-postgres.js';
import { clickhouseRoutes } from './clickhouse/clickhouse-routes.js';
import { type AnswerCall, createAnswerCall } from './manage/answer-call.js';
import { createFindSession } from './manage/find-session.js';
import { passwordOnly, type SignInOptions } from './manage/sign-in-options.js';
import { mcpRoute } from './mcp/mcp-route.js';
import { createEntityTags, withReadKey } from './page-read.js';
import type { LoadedAssets } from './public/assets.js';
import { createGuard } from './public/private/guard.js';
import { createPageAccess } from './public/private/page-access.js';
import type { PublicCache } from './public/public-cache.js';
import { createFiguresOf } from './public/public-figures.js';
import { createObjectivesOf } from './public/public-objectives.js';
import { createPublicReads } from './public/public-reads.js';
import { withStartPage } from './public/start-page.js';
import { createFindFigures } from './public/variants/figures.js';
import { createViewErrors, type ViewErrors } from './public/view-errors.js';
import { createReadTurns } from './read-turns.js';
import type { MayObserve, OriginParser } from './request-origin.js';
import type { Route } from './route.js';
import { type AccountDeps, accountRoutes, answerUnknownScreen } from './routes/account/index.js';
import { analyticsReads } from './routes/analytics.js';
import { minuteMetricsRead } from './routes/analytics-metrics.js';
import { versionReads } from './routes/analytics-versions.js';
import { assetRoutes } from './routes/assets.js';
import { badgeRoutes } from './routes/badges.js';
import { databaseHealthReads } from './routes/database-health-analytics.js';
import { applySchemaRoute, descriptionRoute } from './routes/descriptions.js';
import { embedRoutes, iconRoute } from './routes/embeds.js';
import { eventRoutes } from './routes/events.js';
import { feedRoutes } from './routes/feeds.js';
import { type CheckReadiness, healthRoutes, type RenderMetrics } from './routes/health.js';
import { incidentRoutes } from './routes/incidents.js';
import { logoRoutes } from './routes/logos.js';
import type { ManageRoutesDeps } from './routes/manage/deps.js';
import { manageRoutes } from './routes/manage/index.js';
import { monitorReads } from './routes/monitor-reads.js';
import { observationRoutes } from './routes/observations.js';
import { calendarRoutes } from './routes/on-call.js';
import { otlpRoutes } from './routes/otlp.js';
import { pingRoutes } from './routes/pings.js';
import { poolReportRoutes } from './routes/pool-reports.js';
import { readerRoutes } from './routes/private/password.js';
import { rejectionsRead } from './routes/rejections.js';
import { remoteWriteRoutes } from './routes/remote-write.js';
import { sharedBoardRoutes } from './routes/shared-boards.js';
import { sqlRoute } from './routes/sql.js';
import { statuspageRoutes } from './routes/statuspage.js';
import { subscriberRoutes } from './routes/subscriptions/subscribers.js';
import { summaryRoutes } from './routes/summaries.js';
import { viewRoutes } from './routes/views.js';

type Deps = Pick<ManageRoutesDeps, 'installation' | 'prepareEventStore' | 'waySender'> & {
  sql: Sql;
  clickhouse: ClickHouseClient;
  keys: Pick<KeyCache, 'find'>;
  /** For keys, names and the tokens of heartbeats. */
  namesSql: Sql;
  /** For everything that requests without a key read and write. */
  publicSql: Sql;
  publicClickhouse: ClickHouseClient;
  clock: Clock;
  log: Log;
  ingest: Ingest;
  rejections: Pick<RejectionCounts, 'flush'>;
  poolReports: PoolReports;
  pageSql: PageSqlDeps;
  pageStores: Pick<PageStores, 'clickhouseOf' | 'isOwn' | 'settle'>;
  checkReadiness: CheckReadiness;
  renderMetrics: RenderMetrics;
  /** Who may read the metrics and the state of the stores. */
  mayObserve: MayObserve;
  secretKey: string;
  allowPrivateAddresses: PrivateAddresses;
  privateAddresses: ManageRoutesDeps['privateAddresses'];
  parseOrigin: OriginParser;
  baseUrl: () => string;
  assets: LoadedAssets;
  cache: PublicCache;
  /** See incidentRoutes(). */
  onAnnounced(): void;
  /** With a password only by default. */
  signInOptions?: SignInOptions;
  /** Cost of the hashes of passwords; strong ones by default. */
  passwordParameters?: ScryptParameters | undefined;
  /** Whether the operator has set the address of the service; false by default. */
  hasBaseUrl?: boolean;
  /** Answers a request as the service does, for the tools of models. */
  dispatch: RequestListener;
  /** Version of the service. */
  version: string;
};

/** Every route of the service in the order of the published description, and what people get for errors. */
export function createRoutes(deps: Deps): {
  routes: Route[];
  viewErrors: ViewErrors;
  answerCall: AnswerCall;
} {
  const { cache, signInOptions = passwordOnly } = deps;
  const passwords = createPasswords(deps.passwordParameters && { parameters: deps.passwordParameters });
  const ofPages = {
    ...{ ...deps, sql: deps.publicSql, clickhouse: deps.publicClickhouse },
    reads: createPublicReads({ cache, parseOrigin: deps.parseOrigin }),
    originOf: (hostname: string) => pageOrigin(new URL(deps.baseUrl()), hostname),
    assets: deps.assets.paths,
    sendsMail: signInOptions.mailsLinks,
    figuresOf: createFiguresOf(deps),
    objectivesOf: createObjectivesOf(deps),
  };
  const findSession = createFindSession({ ...deps, passwords });
  const access = createPageAccess({ ...deps, sql: deps.publicSql, passwords, findSession });
  const guard = createGuard({ ...deps, access, assets: ofPages.assets });
  const published = [
    ...[...summaryRoutes(ofPages), ...statuspageRoutes(ofPages), ...logoRoutes(ofPages)],
    ...[...feedRoutes(ofPages), ...badgeRoutes(ofPages), ...embedRoutes(ofPages)],
  ];
  const inReadTurns = createReadTurns(deps.checkReadiness);
  const withEntityTag = createEntityTags(deps);
  const readsInTurns = [
    ...inReadTurns([...analyticsReads(deps), ...versionReads(deps)], deps.pageStores.isOwn),
    ...inReadTurns([rejectionsRead(deps), ...databaseHealthReads(deps)]),
  ];
  const pageReads = readsInTurns.map(withEntityTag);
  const keyReads = [
    ...inReadTurns(monitorReads(deps)).map(withEntityTag),
    ...inReadTurns([minuteMetricsRead(deps)], deps.pageStores.isOwn),
  ];
  const ofAccounts: AccountDeps = {
    ...{ ...deps, assets: deps.assets.account, dashboardAssets: deps.assets.dashboard },
    ...{ originOf: ofPages.originOf, viewAssets: ofPages.assets, passwords },
    signInOptions,
    findSession,
    hasBaseUrl: deps.hasBaseUrl ?? false,
    answerElsewhere: (ctx) => viewErrors.answerUnknown(ctx),
  };
  const all: Route[] = [
    ...eventRoutes(deps),
    ...otlpRoutes(deps),
    ...remoteWriteRoutes(deps),
    ...incidentRoutes({ ...deps, onChange: cache.expire }),
    ...observationRoutes(deps),
    ...poolReportRoutes(deps),
    ...published,
    iconRoute(ofPages),
    ...readerRoutes({ ...deps, sql: deps.publicSql, passwords, findSession, access, refuse: guard.refuse }),
    ...pingRoutes({ ...deps, sql: deps.namesSql }),
    ...calendarRoutes({ ...deps, sql: deps.publicSql }),
    ...sharedBoardRoutes({ ...deps, sql: deps.publicSql, reads: readsInTurns }),
    ...subscriberRoutes({ ...ofPages, admits: guard.admits }),
    ...[...pageReads, ...keyReads].map(withReadKey),
    sqlRoute(deps),
    ...clickhouseRoutes(deps),
    ...manageRoutes({
      ...{ ...deps, passwords, signInOptions, pageReads, hasBaseUrl: deps.hasBaseUrl ?? false },
      ...{ onChange: cache.expire, onDeleted: cache.forget },
      ...{ assets: ofPages.assets, originOf: ofPages.originOf, sendsMail: ofPages.sendsMail },
      figuresOf: ofPages.figuresOf,
      objectivesOf: ofPages.objectivesOf,
      findBadgeFigures: createFindFigures(ofPages),
    }),
    applySchemaRoute(),
    ...healthRoutes(deps),
    ...assetRoutes(deps),
    ...accountRoutes({ ...deps, ...ofAccounts }),
  ];
  // The views come last, because the first part of their path may be anything.
  const views = viewRoutes(ofPages)
    .map(guard.guard)
    .map((view) =>
      view.path === '/'
        ? withStartPage(view, { ...ofPages, hasBaseUrl: ofAccounts.hasBaseUrl, clock: deps.clock })
        : view,
    );
  const routes = all.map(guard.guard);
  routes.push(mcpRoute({ ...deps, routes }));
  routes.push(descriptionRoute(routes, deps.baseUrl), ...views);
  const viewErrors: ViewErrors = createViewErrors({
    ...{ ...ofPages, routes, admits: guard.admits, hasBaseUrl: ofAccounts.hasBaseUrl },
    answerUnknownScreen: (ctx) => answerUnknownScreen(ofAccounts, ctx),
  });
  return { routes, viewErrors, answerCall: createAnswerCall({ ...deps, passwords }) };
}
