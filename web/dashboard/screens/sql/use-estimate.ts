import { useEffect, useRef, useState } from 'preact/hooks';
import type { SqlEstimate } from '../../../../contract/analytics/sql.js';
import type { Range } from '../../address/range.js';
import { pagePath } from '../../reads/api-path.js';
import { fetchJson, ReadError, requestOf } from '../../reads/fetch-json.js';
import { browserTab } from '../../reads/poll.js';
import { estimateLater } from './estimate.js';
import { usesRange } from './result-shape.js';

/**
 * Returns the rows and bytes that the statement in the editor reads; `undefined` until they are known, and for a text that
 * does not parse. A page with its own event store has no estimates: nothing more is asked for once the service says so.
 */
export function useEstimate(slug: string, sql: string, range: Range): SqlEstimate | undefined {
  const [estimate, show] = useState<SqlEstimate>();
  const hasNone = useRef(false);
  const { from, to } = usesRange(sql) ? range : always;
  useEffect(() => {
    show(undefined);
    if (hasNone.current) return;
    return estimateLater(sql, {
      after: browserTab.after,
      async ask(text, signal) {
        const body = { sql: text, ...(from !== '' && { from, to }) };
        try {
          return await read(pagePath(slug, '/analytics/sql/estimate'), body, signal);
        } catch (error) {
          hasNone.current = error instanceof ReadError && error.code === 'ownEventStore';
          throw error;
        }
      },
      show,
    });
  }, [slug, sql, from, to]);
  return estimate;
}

/** The range of a statement without its parameters, which reads the same for each. */
const always: Range = { from: '', to: '' };

async function read(path: string, body: object, signal: AbortSignal): Promise<SqlEstimate> {
  const answer = await fetchJson<SqlEstimate>(path, { ...requestOf('POST', body), signal });
  if (answer === 'unchanged') throw new ReadError(304, '');
  return answer.body;
}
