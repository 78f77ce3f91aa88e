/** The version of an imported day, and the lowest: a day that is computed from its own checks, before or after, replaces it. */
export const importedVersion = 0;

/**
 * The condition for rows of `monitor_days` that were measured: a day has a check of its own, or another tool has observed
 * it. A day without either may have observed time all the same, since the last check before it stands for up to two hours.
 */
export const isMeasuredDay = `(checks > 0 OR version = ${importedVersion})`;
