/** From which shares of errors on, 0 to 1, one is worth a look (`warn`), and something is wrong (`bad`). */
export type ShareLimits = {
  warn: number;
  bad: number;
  /** Whether the alert rule of the page says so. */
  isRule: boolean;
};

/** The limits of a page without an alert rule. */
export const usualLimits: ShareLimits = { warn: 0.01, bad: 0.05, isRule: false };

/**
 * Returns the limits of a page: what opens an incident is bad, and a fifth of it is worth a look, as 1 % is of 5 %.
 * `thresholdPercent` comes from its rule, if it has one.
 */
export function shareLimits(thresholdPercent: number | null | undefined): ShareLimits {
  if (thresholdPercent == null) return usualLimits;
  return { warn: thresholdPercent / 500, bad: thresholdPercent / 100, isRule: true };
}

export type ShareTone = 'good' | 'warn' | 'bad';

/**
 * The colour of a share of errors, wherever one is shown.
 *
 * @param share 0 to 1; null without requests
 */
export function toneOfErrorShare(share: number | null, { warn, bad }: ShareLimits): ShareTone {
  if (share === null) return 'good';
  return share >= bad ? 'bad' : share >= warn ? 'warn' : 'good';
}

/** The class of a share; none for one that is good. */
export function classOfErrorShare(share: number | null, limits: ShareLimits): string | undefined {
  return { bad: 'share-high', warn: 'share-raised', good: undefined }[toneOfErrorShare(share, limits)];
}
