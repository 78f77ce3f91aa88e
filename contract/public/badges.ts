import Type, { type Static } from 'typebox';

export const badgeLimits = { labelChars: 60 } as const;

export const badgeMetrics = ['status', 'uptime', 'response-time'] as const;
export type BadgeMetric = (typeof badgeMetrics)[number];

/** The last 24 hours, the last 168 hours, and whole days of UTC that include today. */
export const badgeWindows = ['24h', '7d', '30d', '90d', '365d'] as const;
export type BadgeWindow = (typeof badgeWindows)[number];

export const badgeStyles = ['flat', 'flat-square', 'plastic'] as const;
export type BadgeStyle = (typeof badgeStyles)[number];

const label = Type.Optional(
  Type.String({
    maxLength: badgeLimits.labelChars,
    description: 'Text of the left half. The default is the name and the metric.',
  }),
);
const style = Type.Optional(
  Type.Enum([...badgeStyles], { default: 'flat', description: 'Look of the badge.' }),
);

export const PageBadgeParameters = Type.Object({ label, style });

export const BadgeParameters = Type.Object({
  metric: Type.Optional(
    Type.Enum([...badgeMetrics], { default: 'status', description: 'What the badge shows.' }),
  ),
  window: Type.Optional(
    Type.Enum([...badgeWindows], { default: '30d', description: 'Window of uptime and response time.' }),
  ),
  label,
  style,
});

/** The answer that shields.io expects of an endpoint: https://shields.io/badges/endpoint-badge */
export const ShieldsEndpoint = Type.Object(
  {
    schemaVersion: Type.Literal(1),
    label: Type.String(),
    message: Type.String(),
    color: Type.String({ description: '`#rrggbb`.' }),
    style,
    isError: Type.Optional(Type.Literal(true)),
  },
  { $id: 'ShieldsEndpoint' },
);
export type ShieldsEndpoint = Static<typeof ShieldsEndpoint>;
