import { type pageScreens, screenPath } from '../../account/paths.js';
import type { IconName } from '../kit/icons.js';

export type ScreenName = 'overview' | (typeof pageScreens)[number];

/** The screens of a page in the order of the navigation; `g` and the letter go there. */
export const screens: readonly { name: ScreenName; letter: string; icon: IconName }[] = [
  { name: 'overview', letter: 'o', icon: 'overview' },
  { name: 'traffic', letter: 't', icon: 'traffic' },
  { name: 'reporters', letter: 'r', icon: 'reporters' },
  { name: 'databases', letter: 'd', icon: 'databases' },
  { name: 'monitors', letter: 'm', icon: 'monitors' },
  { name: 'sql', letter: 's', icon: 'sql' },
];

export function pathOfScreen(slug: string, name: ScreenName): string {
  return screenPath(slug, name === 'overview' ? undefined : name);
}

/** The page and the screen that an address shows; without a page outside of pages. */
export function placeOf(path: string): { slug: string | undefined; screen: ScreenName | undefined } {
  const [, slug, name] = /^\/manage\/pages\/([^/]+)(?:\/([^/]+))?\/?$/.exec(path) ?? [];
  if (slug === undefined) return { slug: undefined, screen: undefined };
  const screen = screens.find((one) => one.name === (name ?? 'overview'))?.name;
  return { slug: decodeURIComponent(slug), screen };
}
