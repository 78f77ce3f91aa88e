import { useMemo } from 'preact/hooks';
import { useShareLimits, useShareWords } from '../../kit/use-share-limits.js';
import type { ShareColours } from './columns.js';

/** The same object until the limits or the language are others. */
export function useShareColours(): ShareColours {
  const [limits, words] = [useShareLimits(), useShareWords()];
  return useMemo(() => ({ limits, words }), [limits, words]);
}
