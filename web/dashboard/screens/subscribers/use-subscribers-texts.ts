import { useMemo } from 'preact/hooks';
import { useSession } from '../../session.js';
import { useTexts } from '../../texts.js';
import { noMailTexts } from './no-mail-texts.js';
import { type SubscribersTexts, subscribersTexts } from './texts.js';

/** The texts of the screen, which promise no email where none can be sent. */
export function useSubscribersTexts(): SubscribersTexts {
  const texts = useTexts(subscribersTexts);
  const { notAsked, notAskedWhy, confirmedWhy, ...others } = useTexts(noMailTexts);
  const { sendsMail } = useSession();
  return useMemo(
    () =>
      sendsMail
        ? texts
        : {
            ...{ ...texts, ...others },
            filters: { ...texts.filters, unconfirmed: notAsked },
            state: { ...texts.state, unconfirmed: notAsked },
            stateWhy: { ...texts.stateWhy, unconfirmed: notAskedWhy, confirmed: confirmedWhy },
          },
    [texts, sendsMail],
  );
}
