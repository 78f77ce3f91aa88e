import Type, { type Static } from 'typebox';
import { Line } from '../line.js';
import { acquisitionBoundsMs } from '../pool-reports.js';
import { AlertSeverity, closed, nullable, ResourceSlug, Time } from './shared.js';

/** The part of a page that a rule looks at. */
export const ruleKinds = [
  'failure-rate',
  'latency',
  'traffic',
  'reporter',
  'monitor',
  'pool',
  'burn-rate',
  'query',
] as const;
export type RuleKind = (typeof ruleKinds)[number];

/** Kinds that look at the requests of the page. */
export const requestRuleKinds = ['failure-rate', 'latency', 'traffic'] as const satisfies readonly RuleKind[];
export type RequestRuleKind = (typeof requestRuleKinds)[number];

export const ruleLimits = {
  perPage: 200,
  nameChars: 120,
  /** Alerts of one rule at once: the worst first. */
  groups: 50,
  dependencies: 20,
  windowMinutesMax: 1_440,
  secondsMax: 86_400,
  requestsMinMax: 1_000_000_000,
  latencyMsMax: 86_400_000,
  /** Longer acquisitions of connections are told apart no further. */
  acquisitionMsMax: Math.max(...acquisitionBoundsMs),
  /** Minutes of `{from:DateTime}` and `{to:DateTime}` in a query, unless the rule says how many. */
  queryWindowMinutes: 60,
  /** The preview goes back so far. */
  previewDays: 14,
} as const;

export const rulePercentiles = ['p50', 'p95', 'p99'] as const;
export const poolFigures = ['waiting', 'utilization', 'acquisitionP95Ms', 'failures'] as const;
export const ruleOperators = ['>', '>=', '<', '<=', '=', '!='] as const;
export const noDataChoices = ['ok', 'keep', 'alert'] as const;

const text = (description: string) => Type.String({ minLength: 1, maxLength: 200, description });
const number = (description: string, minimum: number, maximum = Number.MAX_SAFE_INTEGER) =>
  Type.Number({ minimum, maximum, description });
const whole = (description: string, minimum: number, maximum: number) =>
  Type.Integer({ minimum, maximum, description });

export const RuleTarget = closed(
  {
    service: Type.Optional(text('Service or reporter; for pools the service that reports them.')),
    endpoint: Type.Optional(text('Endpoint of the service.')),
    method: Type.Optional(text('HTTP method of the endpoint, in capitals.')),
    by: Type.Optional(
      Type.Enum(['service', 'endpoint'], {
        description: `Makes one alert for each service or endpoint, the worst ${ruleLimits.groups} at most.`,
      }),
    ),
    reporter: Type.Optional(text('Reporter or service that must report.')),
    team: Type.Optional(text('Reporters of this team.')),
    region: Type.Optional(text('Reporters of this region.')),
    monitor: Type.Optional(text('Slug of a monitor.')),
    group: Type.Optional(text('Slug of a group of monitors.')),
    database: Type.Optional(text('Target of pools: the database server.')),
    pool: Type.Optional(text('Name of a pool.')),
    objective: Type.Optional(text('Slug of an objective.')),
    query: Type.Optional(
      text(
        `Id of a shared saved query. It returns a number, or a label and a number in each of at most ${ruleLimits.groups} rows, and runs every minute.`,
      ),
    ),
  },
  'What the rule looks at; empty for everything of the page. Each kind takes some of the fields.',
);
export type RuleTarget = Static<typeof RuleTarget>;

export const RuleCondition = closed(
  {
    windowMinutes: Type.Optional(
      whole(
        'Whole minutes that the rule looks at. query: what {from:DateTime} and {to:DateTime} enclose; 60 when absent.',
        1,
        ruleLimits.windowMinutesMax,
      ),
    ),
    requestsMin: Type.Optional(
      whole('Fewer requests in the window are no evidence.', 1, ruleLimits.requestsMinMax),
    ),
    percent: Type.Optional(
      Type.Number({
        exclusiveMinimum: 0,
        maximum: 100,
        description: 'failure-rate: this share fails, or more.',
      }),
    ),
    percentile: Type.Optional(Type.Enum([...rulePercentiles], { description: 'latency: which percentile.' })),
    overMs: Type.Optional(number('latency: it is above so many milliseconds.', 0, ruleLimits.latencyMsMax)),
    belowRequests: Type.Optional(number('traffic: fewer requests in the window.', 0)),
    belowPercentOfUsual: Type.Optional(
      Type.Number({
        ...{ exclusiveMinimum: 0, exclusiveMaximum: 100 },
        description:
          'traffic: fewer than this share of the median of the same window one, two, three and four weeks ago.',
      }),
    ),
    is: Type.Optional(
      Type.Enum(['late', 'silent', 'down', 'degraded'], {
        description: 'reporter: late or silent. monitor: down or degraded.',
      }),
    ),
    certificateDays: Type.Optional(whole('monitor: its certificate ends within so many days.', 1, 365)),
    figure: Type.Optional(
      Type.Enum([...poolFigures], {
        description:
          'pool: the most callers of a process that waited at once, busy connections in percent of the most that there may be, the 95th percentile of acquisitions in milliseconds, or callers that got no connection; over the window.',
      }),
    ),
    above: Type.Optional(number('pool: the figure is above this.', 0)),
    factor: Type.Optional(
      Type.Number({
        ...{ exclusiveMinimum: 0, maximum: 1_000 },
        description: 'burn-rate: the budget is spent so many times as fast as it may be, over both windows.',
      }),
    ),
    longMinutes: Type.Optional(whole('burn-rate: the long window.', 5, 129_600)),
    shortMinutes: Type.Optional(whole('burn-rate: the short window.', 1, 10_080)),
    operator: Type.Optional(Type.Enum([...ruleOperators], { description: 'query: how to compare.' })),
    value: Type.Optional(Type.Number({ description: 'query: the number to compare with.' })),
  },
  'When the rule fires. Each kind takes some of the fields.',
);
export type RuleCondition = Static<typeof RuleCondition>;

const Dependency = Type.Union([closed({ monitor: ResourceSlug }), closed({ rule: ResourceSlug })]);
const seconds = (description: string) => whole(description, 0, ruleLimits.secondsMax);

const settings = {
  name: Line('line', { charsMax: ruleLimits.nameChars }),
  target: RuleTarget,
  condition: RuleCondition,
  forSeconds: seconds('The condition must hold for so long.'),
  resolveForSeconds: seconds('The alert ends after the condition has not held for so long.'),
  noData: Type.Enum([...noDataChoices], {
    description: 'What a window without data is: fine, no news, or as if the condition held.',
  }),
  severity: AlertSeverity,
  policy: nullable(
    Type.String({
      ...ResourceSlug,
      description: 'Policy that decides who is told; null for the default of the page.',
    }),
  ),
  opensIncident: nullable(
    closed(
      { template: nullable(ResourceSlug) },
      'Opens an incident on the status page, with the texts of a template or its own. null for none.',
    ),
  ),
  dependsOn: Type.Array(Dependency, {
    maxItems: ruleLimits.dependencies,
    description: 'While one of these is down or fires, alerts of the rule are held back.',
  }),
  enabled: Type.Boolean(),
};

/** The state of a rule, the worst of its groups. */
export const ruleStates = ['ok', 'pending', 'firing', 'no-data', 'error', 'off'] as const;
export type RuleState = (typeof ruleStates)[number];

export const ManagedRule = closed({
  slug: ResourceSlug,
  kind: Type.Enum([...ruleKinds]),
  ...settings,
  name: Type.String(),
  state: Type.Enum([...ruleStates]),
  since: nullable(Time),
  error: nullable(Type.String({ description: 'Why the rule could not be read; since when is `since`.' })),
  alerts: Type.Integer({ minimum: 0, description: 'Alerts that it has open.' }),
  createdAt: Time,
  updatedAt: Time,
});
export type ManagedRule = Static<typeof ManagedRule>;

const optional = {
  target: Type.Optional(settings.target),
  forSeconds: Type.Optional(settings.forSeconds),
  resolveForSeconds: Type.Optional(settings.resolveForSeconds),
  noData: Type.Optional(settings.noData),
  severity: Type.Optional(settings.severity),
  policy: Type.Optional(settings.policy),
  opensIncident: Type.Optional(settings.opensIncident),
  dependsOn: Type.Optional(settings.dependsOn),
  enabled: Type.Optional(settings.enabled),
};

export const PutRule = closed({
  slug: Type.Optional(ResourceSlug),
  name: settings.name,
  kind: Type.Enum([...ruleKinds]),
  condition: settings.condition,
  ...optional,
});
export type PutRule = Static<typeof PutRule>;

export const ChangeRule = closed({
  name: Type.Optional(settings.name),
  condition: Type.Optional(settings.condition),
  ...optional,
});
export type ChangeRule = Static<typeof ChangeRule>;
