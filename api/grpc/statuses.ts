import type { OutgoingHttpHeaders } from 'node:http2';
import { errorRegistry } from '../../contract/errors.js';
import { withPrintedCommands } from '../../lib/printed-commands.js';
import type { ServiceError } from '../../lib/service-error.js';
import { statusOf } from '../answer-errors.js';
import { encodeStatus } from '../otlp/answer-otlp.js';

const [invalidArgument, deadlineExceeded, resourceExhausted, unimplemented, internal] = [3, 4, 8, 12, 13];

/**
 * Codes of gRPC by the status that HTTP has for the same. SDKs send a body again after RESOURCE_EXHAUSTED with a RetryInfo,
 * and wait for as long as it says; after UNAVAILABLE they would choose the pause themselves.
 */
const codes: Readonly<Record<number, number>> = {
  401: 16,
  403: 7,
  404: unimplemented,
  408: deadlineExceeded,
  415: unimplemented,
  429: resourceExhausted,
  499: deadlineExceeded,
  503: resourceExhausted,
};

/** Where an error says no time after which a retry may succeed. */
const retrySecondsUsual = 2;
/** Libraries refuse answers with more than 8 KiB of headers, and the details repeat the sentence. */
const messageCharactersMax = 1_000;

/** Returns the trailers of a call that failed: status, sentence, and a google.rpc.Status with what a program needs. */
export function trailersOf(error: ServiceError | undefined): OutgoingHttpHeaders {
  const { code: reason, message: usual } = error ?? errorRegistry.internal;
  const hint = error?.hint === undefined ? '' : ` ${withPrintedCommands(error.hint)}`;
  const message = `${usual}${hint}`.slice(0, messageCharactersMax);
  const status = statusOf(error);
  const code = codes[status] ?? (status >= 500 ? internal : invalidArgument);
  const retryAfterSeconds =
    code === resourceExhausted ? (error?.retryAfterSeconds ?? retrySecondsUsual) : undefined;
  const details = encodeStatus({
    ...{ code, message, reason },
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  });
  return {
    'grpc-status': String(code),
    'grpc-message': escapeMessage(message),
    'grpc-status-details-bin': details.toString('base64').replace(/=+$/, ''),
  };
}

/** Escapes all but printable ASCII, as the protocol of gRPC says. */
function escapeMessage(message: string): string {
  return message.replaceAll(/[^ -$&-~]+/gu, (text) =>
    [...Buffer.from(text)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join(''),
  );
}
