/** From this share of errors on, something is wrong; from `raisedShare` on, it is worth a look. */
const [badShare, raisedShare] = [0.05, 0.01];

/**
 * The colour of a share of errors, wherever one is shown.
 *
 * @param share 0 to 1
 */
export function toneOfErrorShare(share: number): 'good' | 'warn' | 'bad' {
  return share >= badShare ? 'bad' : share >= raisedShare ? 'warn' : 'good';
}

/** The class of a share in a table; none for one that is good. */
export function classOfErrorShare(share: number): string | undefined {
  return { bad: 'share-high', warn: 'share-raised', good: undefined }[toneOfErrorShare(share)];
}
