/** From this share of errors on, something is wrong; from `raisedShare` on, it is worth a look. */
const [badShare, raisedShare] = [0.05, 0.01];

/** @param share 0 to 1 */
export function toneOfErrorShare(share: number): 'good' | 'warn' | 'bad' {
  return share >= badShare ? 'bad' : share >= raisedShare ? 'warn' : 'good';
}
