import { useCallback, useRef, useState } from 'preact/hooks';
import type { Me } from '../../../contract/manage/session.js';
import { fetchJson } from '../reads/fetch-json.js';
import { patiently } from '../reads/retry.js';
import type { Session, Start } from '../session.js';

/** Who is signed in. A document has only the first of many pages; the others come when somebody looks for one. */
export function useMe(
  start: Start,
): Pick<Session, 'me' | 'setMe' | 'setThreshold' | 'hasMorePages' | 'loadPages'> {
  const [state, setState] = useState({ me: start.me, hasMorePages: start.hasMorePages });
  const isLoading = useRef(false);
  // Every answer of the API has all pages.
  const setMe = useCallback((me: Me) => setState({ me, hasMorePages: false }), []);
  const setThreshold = useCallback((slug: string, percent: number | null) => {
    setState((current) => ({ ...current, me: withThreshold(current.me, slug, percent) }));
  }, []);
  const loadPages = useCallback(() => {
    if (!state.hasMorePages || isLoading.current) return;
    isLoading.current = true;
    patiently(() => fetchJson<Me>('/api/v1/me')).then(
      (answer) => answer !== 'unchanged' && setMe(answer.body),
      () => {
        isLoading.current = false; // The next one who looks for a page tries again.
      },
    );
  }, [state.hasMorePages]);
  return { ...state, setMe, setThreshold, loadPages };
}

/** The same object when nothing differs, so that nothing is drawn again. */
function withThreshold(me: Me, slug: string, alertThresholdPercent: number | null): Me {
  const isKnown = me.pages.some(
    (page) => page.slug === slug && page.alertThresholdPercent !== alertThresholdPercent,
  );
  if (!isKnown) return me;
  return {
    ...me,
    pages: me.pages.map((page) => (page.slug === slug ? { ...page, alertThresholdPercent } : page)),
  };
}
