import type { Permission } from '../../../contract/permissions.js';
import type { pageScreens } from '../../account/manage-paths.js';
import { accountPaths, screenPath } from '../../account/manage-paths.js';
import { searchOf } from '../address/use-address.js';
import type { IconName } from '../kit/icons.js';

export type ScreenName = 'overview' | (typeof pageScreens)[number];

/** Parts of the navigation: what happens, who is called, what readers see, who gets it, and who may do what. */
export const screenGroups = ['see', 'alerting', 'publish', 'notify', 'manage'] as const;
export type ScreenGroup = (typeof screenGroups)[number];

/** A screen of a page. `g` and the letter go there; nobody sees it without the permission. */
export type PageScreenEntry = {
  name: ScreenName;
  group: ScreenGroup;
  letter: string;
  icon: IconName;
  permission: Permission;
};

const read = 'telemetry.read';

/** The screens of a page in the order of the navigation. */
export const screens: readonly PageScreenEntry[] = [
  { name: 'overview', group: 'see', letter: 'o', icon: 'overview', permission: read },
  { name: 'traffic', group: 'see', letter: 't', icon: 'traffic', permission: read },
  { name: 'reporters', group: 'see', letter: 'r', icon: 'reporters', permission: read },
  { name: 'databases', group: 'see', letter: 'd', icon: 'databases', permission: read },
  { name: 'deployments', group: 'see', letter: 'y', icon: 'deployments', permission: read },
  { name: 'boards', group: 'see', letter: 'j', icon: 'boards', permission: read },
  { name: 'sql', group: 'see', letter: 's', icon: 'sql', permission: read },
  { name: 'alerts', group: 'alerting', letter: 'a', icon: 'alerts', permission: read },
  { name: 'rules', group: 'alerting', letter: 'f', icon: 'rules', permission: read },
  { name: 'objectives', group: 'alerting', letter: 'b', icon: 'objectives', permission: read },
  { name: 'on-call', group: 'alerting', letter: 'h', icon: 'onCall', permission: read },
  { name: 'policies', group: 'alerting', letter: 'q', icon: 'policies', permission: read },
  { name: 'incidents', group: 'publish', letter: 'i', icon: 'incidents', permission: read },
  { name: 'monitors', group: 'publish', letter: 'm', icon: 'monitors', permission: read },
  { name: 'page', group: 'publish', letter: 'p', icon: 'page', permission: read },
  {
    name: 'subscribers',
    group: 'notify',
    letter: 'u',
    icon: 'subscribers',
    permission: 'notifications.write',
  },
  { name: 'webhooks', group: 'notify', letter: 'w', icon: 'webhooks', permission: 'notifications.write' },
  { name: 'channels', group: 'notify', letter: 'n', icon: 'channels', permission: 'notifications.write' },
  { name: 'reports', group: 'notify', letter: 'x', icon: 'reports', permission: read },
  { name: 'keys', group: 'manage', letter: 'k', icon: 'keys', permission: 'keys.write' },
  { name: 'people', group: 'manage', letter: 'e', icon: 'people', permission: 'people.write' },
  { name: 'connections', group: 'manage', letter: 'c', icon: 'link', permission: 'connections.write' },
  { name: 'event-store', group: 'manage', letter: 'v', icon: 'store', permission: 'store.write' },
  { name: 'audit', group: 'manage', letter: 'l', icon: 'audit', permission: 'audit.read' },
];

export function pathOfScreen(slug: string, name: ScreenName): string {
  return screenPath(slug, name === 'overview' ? undefined : name);
}

/** Returns the path of the deployments of a page, or of one of its services. */
export function deploymentsPath(slug: string, service?: string): string {
  return `${pathOfScreen(slug, 'deployments')}${searchOf({ service })}`;
}

/** Returns the path of the screen of an incident or maintenance. */
export function incidentPath(slug: string, id: string): string {
  return `${pathOfScreen(slug, 'incidents')}${searchOf({ incident: id })}`;
}

/** Returns the path of a board. */
export function boardPath(slug: string, board: string): string {
  return `${pathOfScreen(slug, 'boards')}${searchOf({ board })}`;
}

/** Where admins of the installation create a page. */
export const newPagePath = `${accountPaths.home}?new=page`;

/** The screens of a page that these permissions open. */
export function screensOf(may: (permission: Permission) => boolean): PageScreenEntry[] {
  return screens.filter(({ permission }) => may(permission));
}

/** The page and the screen that an address shows; without a page outside of pages. */
export function placeOf(path: string): { slug: string | undefined; screen: ScreenName | undefined } {
  const [, slug, name] = /^\/manage\/pages\/([^/]+)(?:\/([^/]+))?\/?$/.exec(path) ?? [];
  if (slug === undefined) return { slug: undefined, screen: undefined };
  const screen = screens.find((one) => one.name === (name ?? 'overview'))?.name;
  return { slug: decodeURIComponent(slug), screen };
}
