import { limits, withCommas } from './limits.js';

/**
 * All errors by name. A caller sees `status`, `code` and `message`, and nothing else leaves the service. A code never
 * changes; a message may. docs/errors.md lists them, and a test fails when the two differ.
 */
export const errorRegistry = {
  notHttp: { status: 400, code: 'request.not_http', message: 'The request is not valid HTTP.' },
  bodyNotJson: { status: 400, code: 'body.not_json', message: 'The request body is not valid JSON.' },
  bodyNotProtobuf: {
    status: 400,
    code: 'body.not_protobuf',
    message: 'The request body is not valid protobuf.',
  },
  bodyEncoding: {
    status: 400,
    code: 'body.not_decompressible',
    message: 'The request body could not be decompressed.',
  },
  contentEncoding: {
    status: 415,
    code: 'body.encoding_unsupported',
    message: 'Content-Encoding must be gzip, br, deflate or identity.',
  },
  notGrpc: {
    status: 415,
    code: 'request.not_grpc',
    message:
      'This port takes OTLP over gRPC only. Send HTTP to the port of the service, or set OTEL_EXPORTER_OTLP_PROTOCOL=grpc.',
  },
  bodyType: {
    status: 415,
    code: 'body.type_unsupported',
    message: 'Content-Type must be application/x-protobuf.',
  },
  noEventArray: {
    status: 400,
    code: 'events.missing',
    message: 'The body must be an array of events or an object with an "events" array.',
  },
  noReporter: {
    status: 400,
    code: 'reporter.missing',
    message: 'The body must be an object with a "reporter" object; /api/v1/events takes events without one.',
  },
  noReporterEvents: {
    status: 400,
    code: 'reporter.events_missing',
    message: 'The body must have an "events" array; send an empty one as a heartbeat.',
  },
  invalidReporter: { status: 400, code: 'reporter.invalid', message: 'The reporter is invalid.' },
  invalidBatchId: {
    status: 400,
    code: 'batch_id.invalid',
    message: `The "batchId" must be a text of 1 to ${limits.batchIdChars} characters.`,
  },
  unsupportedInclude: {
    status: 400,
    code: 'parameter.include_unsupported',
    message: 'Parameter "include" must be response-time, coverage or response-time,coverage.',
  },
  unsupportedRange: {
    status: 400,
    code: 'parameter.range_unsupported',
    message: 'Parameter "range" must be 24h, 7d, 30d or 90d.',
  },
  invalidParameter: { status: 400, code: 'parameter.invalid', message: 'A query parameter is invalid.' },
  invalidBody: { status: 400, code: 'body.invalid', message: 'The request body is invalid.' },
  incidentLimit: {
    status: 400,
    code: 'incident.limit_reached',
    message: 'The incident or the page has no room for this.',
  },
  invalidSql: { status: 400, code: 'sql.invalid', message: 'The SQL was refused.' },
  invalidKey: { status: 401, code: 'key.invalid', message: 'Invalid or revoked API key.' },
  signInRequired: {
    status: 401,
    code: 'sign_in.required',
    message: 'Sign in, or send a key with the scope manage.',
  },
  codeRequired: {
    status: 401,
    code: 'sign_in.code_required',
    message: 'This account also needs a code of its authenticator app, or a recovery code.',
  },
  signInRefused: {
    status: 401,
    code: 'sign_in.refused',
    message: 'The email, the password or the code is wrong.',
  },
  invalidIngestKey: { status: 401, code: 'ingest_key.invalid', message: 'Invalid or revoked ingest key.' },
  privatePage: {
    status: 401,
    code: 'page.private',
    message:
      'The page is private. Send its password with HTTP Basic, under any user name, or ask from an allowed address.',
  },
  wrongScope: {
    status: 403,
    code: 'key.wrong_scope',
    message: 'This key does not have the scope that this route needs.',
  },
  capabilityUnavailable: {
    status: 403,
    code: 'capability.unavailable',
    message: 'This capability is not available for the account of this page.',
  },
  notAllowed: { status: 403, code: 'not_allowed', message: 'Your role or key does not allow this.' },
  otherOrigin: {
    status: 403,
    code: 'origin.not_allowed',
    message: 'A change with a session must come from a page of this service.',
  },
  notFound: { status: 404, code: 'not_found', message: 'Not found' },
  databaseHealthOff: {
    status: 404,
    code: 'database_health.off',
    message: 'Database health is not enabled for this page.',
  },
  noSuchConnection: {
    status: 404,
    code: 'connection.not_found',
    message: 'The page has no connection with this id and engine.',
  },
  methodNotAllowed: { status: 405, code: 'method.not_allowed', message: 'Method not allowed.' },
  bodyTimeout: { status: 408, code: 'body.timeout', message: 'The request body took too long to arrive.' },
  conflict: { status: 409, code: 'conflict', message: 'The request contradicts what is stored.' },
  noMail: {
    status: 409,
    code: 'mail.not_configured',
    message: 'This service sends no email; subscribe a chat, or follow a feed of the page.',
  },
  ownEventStore: {
    status: 409,
    code: 'event_store.own',
    message: 'The page keeps its events in a ClickHouse of its own; ask that one.',
  },
  preconditionFailed: {
    status: 412,
    code: 'precondition_failed',
    message: 'It has changed since it was read; nothing was changed. Read it again.',
  },
  bodyTooLarge: { status: 413, code: 'body.too_large', message: 'The request body is too large.' },
  tooManyEvents: { status: 413, code: 'events.too_many', message: 'A batch holds at most 1,000 events.' },
  tooManySpans: {
    status: 413,
    code: 'spans.too_many',
    message: `A request holds at most ${withCommas(limits.otlpItemsMax)} spans or data points that count.`,
  },
  sqlResultTooLarge: {
    status: 413,
    code: 'sql.result_too_large',
    message: 'The result is larger than one answer may be; aggregate or add a LIMIT.',
  },
  expectationFailed: {
    status: 417,
    code: 'expectation_failed',
    message: 'The header Expect can only be 100-continue.',
  },
  rateLimited: {
    status: 429,
    code: 'rate_limited',
    message: 'Too many requests on this key; wait and retry.',
  },
  tooManySignUps: { status: 429, code: 'sign_up.too_many', message: 'Too many sign-ups; wait and retry.' },
  tooManySignIns: {
    status: 429,
    code: 'sign_in.too_many',
    message: 'Too many failed sign-ins; wait and retry.',
  },
  tooManySources: {
    status: 429,
    code: 'source.too_many',
    message: 'The page has as many sources as it may have; wait and retry.',
  },
  sqlTooExpensive: {
    status: 422,
    code: 'sql.too_expensive',
    message: 'The query needs more time, rows or memory than one query may use; narrow its time range.',
  },
  headersTooLarge: { status: 431, code: 'headers.too_large', message: 'The request headers are too large.' },
  /** The status that nginx writes into its log for the same. Nobody receives it: it is for metrics and log. */
  callerGone: {
    status: 499,
    code: 'caller_gone',
    message: 'The caller closed the connection before the answer.',
  },
  internal: { status: 500, code: 'internal', message: 'Internal error.' },
  storeBusy: {
    status: 503,
    code: 'store.busy',
    message: 'The event store is not keeping up; nothing of this batch was stored. Retry later.',
  },
  storeUnavailable: {
    status: 503,
    code: 'store.unavailable',
    message: 'The store cannot be reached right now. Retry later.',
  },
  ownStoreUnavailable: {
    status: 503,
    code: 'event_store.unavailable',
    message: "The page's own event store cannot be used right now. Check that ClickHouse, then retry.",
  },
  overloaded: {
    status: 503,
    code: 'overloaded',
    message: 'The service is receiving as much as it can; nothing was stored. Retry later.',
  },
  shuttingDown: { status: 503, code: 'shutting_down', message: 'The service is shutting down. Retry.' },
} as const satisfies Record<string, { status: number; code: string; message: string }>;

export type ErrorKind = keyof typeof errorRegistry;

/** Codes that replace the one of their kind where a caller acts on the cause, by the kind. */
export const specificCodes = {
  'incident.key_reused': 'conflict',
  'maintenance.overlaps': 'invalidBody',
  'monitor.headers_cross_origin': 'invalidBody',
  'monitor.slug_taken': 'conflict',
  'page.hostname_taken': 'conflict',
  'page.slug_taken': 'conflict',
  'password.common': 'invalidBody',
  'password.length': 'invalidBody',
  'password.own_data': 'invalidBody',
  'password.wrong': 'notAllowed',
  'totp.code_wrong': 'notAllowed',
} as const satisfies Record<string, ErrorKind>;

export type SpecificCode = keyof typeof specificCodes;
export type ErrorCode = (typeof errorRegistry)[ErrorKind]['code'] | SpecificCode;

const kindsByCode: ReadonlyMap<string, ErrorKind> = new Map([
  ...Object.entries(specificCodes),
  // The keys of the registry are its kinds.
  ...Object.entries(errorRegistry).map(([kind, { code }]) => [code, kind as ErrorKind] as const),
]);

/** Returns the kind that a code belongs to; `undefined` for a code of another version. */
export function kindOfCode(code: string): ErrorKind | undefined {
  return kindsByCode.get(code);
}
