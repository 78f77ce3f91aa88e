import type { Page } from 'playwright-core';

/** A picture of the dashboard of the demo. `act` brings the screen into the state that the picture shows. */
export type Picture = { name: string; path: string; act?(page: Page): Promise<void> };

export const devices = ['desktop', 'phone'] as const;
export const schemes = ['light', 'dark'] as const;

/** The name of the file of a picture. */
export function pictureFile(
  name: string,
  device: (typeof devices)[number],
  scheme: (typeof schemes)[number],
): string {
  return `${name}-${device}-${scheme}.webp`;
}

/** The pictures that README.md and docs/ show. Git has these alone, in docs/images/dashboard/. */
export const keptPictures: readonly string[] = [
  'overview-desktop-light.webp',
  'overview-phone-dark.webp',
  'slow-endpoint-desktop-light.webp',
  'versions-desktop-light.webp',
  'failing-endpoint-desktop-light.webp',
  'samples-desktop-light.webp',
  'reporters-desktop-light.webp',
  'databases-desktop-light.webp',
  'monitor-desktop-light.webp',
  'sql-desktop-light.webp',
  'board-desktop-light.webp',
  'palette-desktop-dark.webp',
  'composer-desktop-light.webp',
  'incident-desktop-light.webp',
  'incident-texts-desktop-light.webp',
  'template-desktop-light.webp',
  'maintenance-desktop-light.webp',
  'new-monitor-desktop-light.webp',
  'looks-desktop-light.webp',
  'import-desktop-light.webp',
  'audit-desktop-light.webp',
];
