import type { IconState } from './state-icon.js';

/** Addresses of the files that every page loads, each with a hash of its content in it. */
export type PageAssets = {
  styles: string;
  /** A classic script that blocks: it sets the theme before anything is drawn. */
  theme: string;
  /** Modules: what keeps the page up to date, and what shows how a day was. */
  live: string;
  details: string;
  /** What a link to the page shows elsewhere: a PNG of 1200 × 630 pixels, without a word in it. */
  cards: Readonly<Record<IconState, string>>;
};
