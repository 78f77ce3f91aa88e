import { ClickHouseError } from '@clickhouse/client';
import type { BoundedAnswer } from '../../lib/outbound/bounded-exchange.js';
import { EgressError } from '../../lib/outbound/egress-error.js';
import { ServiceError } from '../../lib/service-error.js';
import { ownStoreLimits } from './limits.js';
import { RowError } from './read-json-rows.js';

/**
 * A page's own event store fails. The message is for the owner of the page: it names neither
 * the address of the store nor anything that it sent. `failure` says more to the operator.
 */
export class OwnStoreError extends ServiceError {
  readonly failure: EgressError | ClickHouseError | undefined;

  /** `what` continues a sentence that begins with the store. */
  constructor(what: string, failure?: EgressError | ClickHouseError) {
    super('ownStoreUnavailable', {
      message: `The page's own event store ${what}. Check the ClickHouse of this page, then retry.`,
      retryAfterSeconds: 10,
    });
    this.failure = failure;
  }
}

/**
 * Throws the error that the server answers instead of a result. The text is cut before anything is searched in it.
 *
 * @throws ClickHouseError; OwnStoreError when the answer is not one of ClickHouse.
 */
export async function throwFailure({ status, headers, body }: BoundedAnswer): Promise<void> {
  const header = headers['x-clickhouse-exception-code'];
  if (status === 200 && header === undefined) return;
  const text = await readStart(body);
  const code = /^Code: (\d{1,5})\b/.exec(text)?.[1] ?? /^\d{1,5}$/.exec(String(header))?.[0];
  if (code === undefined) throw new OwnStoreError(`answers with status ${status}, unlike a ClickHouse`);
  const type = /\(([A-Z][A-Z0-9_]{2,60})\)/.exec(text)?.[1] ?? '';
  throw new ClickHouseError({ message: text.slice(0, 1_000), code, type });
}

async function readStart(body: AsyncIterable<Buffer>): Promise<string> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of body) {
    parts.push(part);
    length += part.length;
    if (length >= ownStoreLimits.errorChars) break;
  }
  return Buffer.concat(parts).toString('utf8', 0, ownStoreLimits.errorChars);
}

/** TIMEOUT_EXCEEDED, MEMORY_LIMIT_EXCEEDED. */
const tooExpensive: ReadonlySet<string> = new Set(['159', '241']);

/** Returns the error of a request to a page's own store for its caller. */
export function explainOwnStore(error: unknown): unknown {
  if (error instanceof RowError) return new OwnStoreError(error.message);
  if (error instanceof EgressError) {
    return new OwnStoreError(`cannot be used: ${error.message.replace(/\.$/, '')}`, error);
  }
  if (!(error instanceof ClickHouseError)) return error;
  if (tooExpensive.has(error.code)) {
    return new ServiceError('sqlTooExpensive', {
      message:
        "The query takes too long or too much memory in the page's own event store. Narrow its time range.",
    });
  }
  return new OwnStoreError(`answers with error ${error.code} of ClickHouse`, error);
}
