import { useContext, useMemo } from 'preact/hooks';
import { useFormat } from '../format.js';
import { PageContext } from '../session.js';
import { useTexts } from '../texts.js';
import { type ShareLimits, shareLimits } from './error-share.js';
import { kitTexts } from './texts.js';

/** The limits of shares of errors on the page of the screen. */
export function useShareLimits(): ShareLimits {
  const percent = useContext(PageContext)?.alertThresholdPercent;
  return useMemo(() => shareLimits(percent), [percent]);
}

/** Says what the colours of shares of errors mean: `Amber from 1 %, red from 5 %: the page’s alert rule`. */
export function useShareWords(): string {
  const { warn, bad, isRule } = useShareLimits();
  const { share } = useFormat();
  const { shareColours, shareColoursOfRule } = useTexts(kitTexts);
  return (isRule ? shareColoursOfRule : shareColours)({ warn: share(warn), bad: share(bad) });
}
