import type { Page } from 'playwright-core';

/** A picture of the dashboard of the demo. `act` brings the screen into the state that the picture shows. */
export type Picture = { name: string; path: string; act?(page: Page): Promise<void> };

export const devices = ['desktop', 'phone'] as const;
export const schemes = ['light', 'dark'] as const;

/** The file of a picture, in docs/images/dashboard/. */
export function pictureFile(
  name: string,
  device: (typeof devices)[number],
  scheme: (typeof schemes)[number],
): string {
  return `${name}-${device}-${scheme}.webp`;
}
