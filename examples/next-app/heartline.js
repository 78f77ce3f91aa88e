import { hostname } from 'node:os';
import { createReporter } from '@heartline/reporter';
import { heartline } from '@heartline/reporter/next';

const { HEARTLINE_URL, HEARTLINE_KEY } = process.env;

function startReporter() {
  const reporter = createReporter({
    url: HEARTLINE_URL,
    key: HEARTLINE_KEY,
    reporter: { reporterId: `web-${hostname()}`, englishName: 'Web', expectedEverySeconds: 30 },
  });
  // Next.js leaves this to us with NEXT_MANUAL_SIG_HANDLE; on its own it would end before the last events are sent.
  process.once('SIGTERM', () => reporter.stop().then(() => process.exit(0)));
  return reporter;
}

// `next dev` loads this file again after a change, and must not start another reporter.
globalThis.reporter ??= startReporter();

export const withHeartline = heartline(globalThis.reporter);
