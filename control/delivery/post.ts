import type { Egress, EgressAnswer, EgressRequest } from '../../lib/outbound/egress.js';
import { EgressError } from '../../lib/outbound/egress-error.js';

/** There was no answer. `error` is a class, a colon and a sentence. */
export type NoAnswer = { status: null; kind: EgressError['kind']; error: string };

/** Sends a body once. Does not follow redirects. Rejects only when the signal is aborted; the outcome is then unknown. */
export async function post(
  egress: Egress,
  { headers, ...request }: Omit<EgressRequest, 'method'> & { body: string; signal: AbortSignal },
): Promise<EgressAnswer | NoAnswer> {
  try {
    return await egress.send({
      ...{ ...request, method: 'POST' },
      headers: { ...headers, 'user-agent': 'Heartline' },
    });
  } catch (error) {
    if (!(error instanceof EgressError)) throw error;
    return { status: null, kind: error.kind, error: `${error.kind}: ${error.message}` };
  }
}
