import type { Context } from 'koa';
import type { ErrorCode } from '../../contract/errors.js';
import type { OtlpAnswer, OtlpError } from '../../contract/otlp.js';
import type { OtlpAcknowledgement } from '../../ingest/accept-otlp.js';
import type { OtlpForm } from '../../ingest/otlp/read-otlp.js';
import type { Encoding } from '../../ingest/otlp/tree.js';
import { messageField, textField, varintField } from '../../lib/protobuf/write-fields.js';

export const protobufType = 'application/x-protobuf';

/** Everything but protobuf is read as JSON, like the bodies of other routes. */
export function encodingOf(ctx: Context): Encoding {
  return ctx.is(protobufType) ? 'protobuf' : 'json';
}

/** Answers in the encoding of the request. An empty answer says that everything was taken, and there is nothing to say. */
export function answerOtlp(ctx: Context, form: OtlpForm, { rejected, message }: OtlpAcknowledgement): void {
  if (form.encoding === 'json') {
    ctx.body = (
      message === undefined ? {} : { partialSuccess: partOf(form, rejected, message) }
    ) satisfies OtlpAnswer;
    return;
  }
  ctx.body = encodeAnswer({ rejected, message });
  ctx.type = protobufType;
}

/** Returns ExportTraceServiceResponse or ExportMetricsServiceResponse, whose fields have the same numbers. */
export function encodeAnswer({ rejected, message }: OtlpAcknowledgement): Buffer {
  return message === undefined
    ? Buffer.alloc(0)
    : messageField(1, [varintField(1, rejected), textField(2, message)]);
}

function partOf({ signal }: OtlpForm, rejected: number, errorMessage: string) {
  return signal === 'traces'
    ? { rejectedSpans: String(rejected), errorMessage }
    : { rejectedDataPoints: String(rejected), errorMessage };
}

/** The paths whose errors have the form of the protocol. */
export const otlpPath = /^\/v1\/(?:traces|metrics)$/;

/** Codes of gRPC by the status of HTTP (https://github.com/googleapis/googleapis/blob/master/google/rpc/code.proto). */
const codes: Readonly<Record<number, number>> = { 401: 16, 403: 7, 404: 5, 429: 8, 503: 14 };
const invalidArgument = 3;
const internal = 13;

/** The type of the detail that has the code of an error, google/rpc/error_details.proto of the same repository. */
const errorInfo = 'type.googleapis.com/google.rpc.ErrorInfo';
const retryInfo = 'type.googleapis.com/google.rpc.RetryInfo';
const domain = 'heartline';

/**
 * Makes the error of a request for OTLP a google.rpc.Status, as the protocol wants it: protobuf for a request in
 * protobuf, else more members of the usual JSON. `code` is a number there, so the code of the error is its `reason`.
 */
export function asOtlpError(ctx: Context, body: { error: string; code: ErrorCode }): void {
  if (ctx.method !== 'POST' || !otlpPath.test(ctx.path)) return;
  if (encodingOf(ctx) === 'json') {
    ctx.body = { ...body, ...describeOtlpError(ctx.status, body) };
    return;
  }
  ctx.body = encodeStatus({ code: codeOf(ctx.status), message: body.error, reason: body.code });
  ctx.type = protobufType;
}

/** `reason` is the code of the error in docs/errors.md. */
export type RpcStatus = { code: number; message: string; reason: ErrorCode; retryAfterSeconds?: number };

/** Returns a google.rpc.Status in protobuf, with an ErrorInfo, and a RetryInfo where a retry may succeed. */
export function encodeStatus({ code, message, reason, retryAfterSeconds }: RpcStatus): Buffer {
  const info = messageField(2, [textField(1, reason), textField(2, domain)]);
  const details = [messageField(3, [textField(1, errorInfo), info])];
  if (retryAfterSeconds !== undefined) {
    const delay = messageField(1, [varintField(1, retryAfterSeconds)]);
    details.push(messageField(3, [textField(1, retryInfo), messageField(2, [delay])]));
  }
  return Buffer.concat([varintField(1, code), textField(2, message), ...details]);
}

/** The error of a request for OTLP in JSON. */
export function describeOtlpError(
  status: number,
  { error, code: reason }: { error: string; code: ErrorCode },
): OtlpError {
  const details = [{ '@type': errorInfo, reason, domain }];
  return { error, code: codeOf(status), message: error, details };
}

function codeOf(status: number): number {
  return codes[status] ?? (status >= 500 ? internal : invalidArgument);
}
