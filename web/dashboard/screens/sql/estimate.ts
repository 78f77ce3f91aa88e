import type { SqlEstimate } from '../../../../contract/analytics/sql.js';

/** After the last change of the text: nobody waits for the figures, and each request parses the statement. */
export const estimateWaitMs = 600;

/** A timer, the request, and what is done with its answer. */
export type Estimating = {
  /** Calls once after the time. Returns what ends that. */
  after(ms: number, call: () => void): () => void;
  /** Asks what a statement reads. Rejects for one that does not parse. */
  ask(sql: string, signal: AbortSignal): Promise<SqlEstimate>;
  show(estimate: SqlEstimate): void;
};

/**
 * Asks what a statement reads once its text has stood for a while, and shows the answer. Shows nothing for a text that is
 * no query or does not parse. Returns what ends it, with the request.
 */
export function estimateLater(sql: string, { after, ask, show }: Estimating): () => void {
  if (!isQuery(sql)) return () => {};
  const ending = new AbortController();
  const endTimer = after(estimateWaitMs, () => {
    ask(sql, ending.signal).then(
      (estimate) => {
        if (!ending.signal.aborted) show(estimate);
      },
      () => {}, // A run says what is wrong with the text.
    );
  });
  return () => {
    endTimer();
    ending.abort();
  };
}

/** Whether a text begins as a query does, and every parenthesis and quote in it is closed: others need no request. */
export function isQuery(sql: string): boolean {
  const code = sql.replace(
    /--.*|\/\*[\s\S]*?\*\/|'(?:[^'\\]|\\[\s\S]|'')*'|"(?:[^"\\]|\\[\s\S])*"|`[^`]*`/g,
    ' ',
  );
  if (!/^[\s(]*(?:select|with)\b/i.test(code) || /['"`]/.test(code)) return false;
  let open = 0;
  for (const [sign] of code.matchAll(/[()]/g)) {
    open += sign === '(' ? 1 : -1;
    if (open < 0) return false;
  }
  return open === 0;
}
