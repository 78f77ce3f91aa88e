import { absoluteRange, endsOf } from '../address/range.js';
import { searchOf, useAddress } from '../address/use-address.js';
import { copyText } from '../kit/copy-text.js';
import { showNotice } from '../kit/notice.js';
import { useTexts } from '../texts.js';
import { shellTexts } from './texts.js';

/** Returns what copies a link to this view: with the range as the address has it, or with its two times. */
export function useCopyLink(): (kind: 'relative' | 'absolute') => Promise<void> {
  const { path, query, range } = useAddress();
  const texts = useTexts(shellTexts);
  return async (kind) => {
    const ends = kind === 'relative' ? undefined : endsOf(range, Date.now());
    const linked = ends === undefined ? range : absoluteRange(ends.from, ends.to);
    const isCopied = await copyText(`${location.origin}${path}${searchOf({ ...query, ...linked })}`);
    showNotice(isCopied ? texts.linkCopied : texts.linkNotCopied);
  };
}
