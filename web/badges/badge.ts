import { makeBadge } from 'badge-maker';
import {
  type BadgeMetric,
  type BadgeStyle,
  type BadgeWindow,
  badgeLimits,
  type ShieldsEndpoint,
} from '../../contract/public/badges.js';
import { withoutControls } from '../feeds/xml-text.js';
import type { OverallState } from '../state/page-state.js';
import type { ServiceState } from '../state/service-state.js';

/** The part of a page that badges show. */
export type BadgeFigures = {
  /** In the page's default language, as are the names of services. */
  pageName: string;
  overall: OverallState;
  /** By slug. */
  services: ReadonlyMap<string, ServiceFigures>;
};

export type ServiceFigures = {
  name: string;
  state: ServiceState;
  /** Such as `99.98%`; `N/A` when nothing was observed. */
  uptime: Readonly<Record<BadgeWindow, string>>;
  /** Average response times; 0 when nothing was measured. */
  timeMs: Readonly<Record<BadgeWindow, number>>;
};

/** `label` replaces the usual text. */
export type BadgeLooks = { label?: string; style: BadgeStyle };
export type Badge = BadgeLooks & { label: string; message: string; color: string };

/** White text has a contrast of at least 4.5:1 on each. */
const colors = {
  good: '#1a7f42',
  fair: '#6b6f00',
  poor: '#b45309',
  bad: '#c62b38',
  calm: '#1d63c4',
  none: '#6b7280',
};

const stateColors: Readonly<Record<ServiceState, string>> = {
  up: colors.good,
  degraded: colors.fair,
  partial: colors.poor,
  down: colors.bad,
  maintenance: colors.calm,
  paused: colors.none,
  unknown: colors.none,
  waiting: colors.none,
  stale: colors.none,
};

/** The words of badges, which are the same for every reason why nothing is known. */
const stateWords: Readonly<Record<ServiceState, string>> = {
  up: 'up',
  degraded: 'degraded',
  partial: 'partly down',
  down: 'down',
  maintenance: 'maintenance',
  paused: 'paused',
  unknown: 'unknown',
  waiting: 'unknown',
  stale: 'unknown',
};

/** The lowest uptime for each colour, in percent. */
const uptimeColors = [
  { from: 99.9, color: colors.good },
  { from: 99, color: colors.fair },
  { from: 95, color: colors.poor },
  { from: 0, color: colors.bad },
];

/** The badge of a service. */
export function serviceBadge(
  service: ServiceFigures,
  { metric, window, ...looks }: BadgeLooks & { metric: BadgeMetric; window: BadgeWindow },
): Badge {
  const { name, state } = service;
  switch (metric) {
    case 'status':
      return badge(looks, name, stateWords[state], stateColors[state]);
    case 'uptime': {
      const uptime = service.uptime[window];
      return badge(looks, `${name} uptime ${window}`, formatUptime(uptime), uptimeColor(uptime));
    }
    case 'response-time': {
      const timeMs = service.timeMs[window];
      const [message, color] = timeMs > 0 ? [`${timeMs} ms`, colors.calm] : ['n/a', colors.none];
      return badge(looks, `${name} response time ${window}`, message, color);
    }
  }
}

/** The badge of a whole page. */
export function pageBadge({ pageName, overall }: BadgeFigures, looks: BadgeLooks): Badge {
  switch (overall.kind) {
    case 'down':
    case 'partial':
    case 'degraded': {
      const { kind, services, total } = overall;
      const word = stateWords[kind];
      const message = services.length === total ? word : `${services.length} of ${total} ${word}`;
      return badge(looks, pageName, message, stateColors[kind]);
    }
    case 'incident':
      return badge(looks, pageName, 'incident', colors.poor);
    case 'up': {
      const { up, total } = overall;
      return badge(looks, pageName, up === total ? 'up' : `${up} of ${total} up`, colors.good);
    }
    case 'maintenance':
    case 'paused':
      return badge(looks, pageName, overall.kind, stateColors[overall.kind]);
    default:
      return badge(looks, pageName, 'unknown', colors.none);
  }
}

/** The badge of a missing service, because a broken image tells nobody what is wrong. */
export function missingBadge(slug: string, looks: BadgeLooks): Badge {
  return badge(looks, slug, 'not found', colors.none);
}

/** An SVG document. */
export function renderBadge({ label, message, color, style }: Badge): string {
  return makeBadge({ label, message, color, style });
}

/** For shields.io, which draws a badge with `isError` as it draws its own failures. */
export function shieldsEndpoint({ label, message, color, style }: Badge, isError: boolean): ShieldsEndpoint {
  return { schemaVersion: 1, label, message, color, style, ...(isError && { isError }) };
}

function badge({ label, style }: BadgeLooks, usual: string, message: string, color: string): Badge {
  return { label: withoutControls(label ?? cut(usual)), message, color, style };
}

/** Cuts a name that is longer than a badge is wide. */
function cut(text: string): string {
  const characters = [...text];
  const { labelChars } = badgeLimits;
  return characters.length <= labelChars ? text : `${characters.slice(0, labelChars - 1).join('')}…`;
}

function formatUptime(uptime: string): string {
  if (uptime === 'N/A') return 'n/a';
  return uptime === '100.00%' ? '100%' : uptime;
}

function uptimeColor(uptime: string): string {
  const percent = Number.parseFloat(uptime);
  return uptimeColors.find(({ from }) => percent >= from)?.color ?? colors.none;
}
