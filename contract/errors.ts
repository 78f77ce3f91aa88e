import { limits, withCommas } from './limits.js';

/**
 * All errors by name. A caller sees `status` and `message`, and nothing else leaves the service. docs/errors.md lists
 * them, and a test fails when the two differ.
 */
export const errorRegistry = {
  notHttp: { status: 400, message: 'The request is not valid HTTP.' },
  bodyNotJson: { status: 400, message: 'The request body is not valid JSON.' },
  bodyNotProtobuf: { status: 400, message: 'The request body is not valid protobuf.' },
  bodyEncoding: { status: 400, message: 'The request body could not be decompressed.' },
  contentEncoding: { status: 415, message: 'Content-Encoding must be gzip, br, deflate or identity.' },
  noEventArray: {
    status: 400,
    message: 'The body must be an array of events or an object with an "events" array.',
  },
  noReporter: {
    status: 400,
    message: 'The body must be an object with a "reporter" object; /api/v1/events takes events without one.',
  },
  noReporterEvents: {
    status: 400,
    message: 'The body must have an "events" array; send an empty one as a heartbeat.',
  },
  invalidReporter: { status: 400, message: 'The reporter is invalid.' },
  invalidBatchId: {
    status: 400,
    message: `The "batchId" must be a text of 1 to ${limits.batchIdChars} characters.`,
  },
  unsupportedInclude: {
    status: 400,
    message: 'Parameter "include" must be response-time, coverage or response-time,coverage.',
  },
  unsupportedRange: { status: 400, message: 'Parameter "range" must be 24h, 7d, 30d or 90d.' },
  invalidParameter: { status: 400, message: 'A query parameter is invalid.' },
  invalidBody: { status: 400, message: 'The request body is invalid.' },
  incidentLimit: { status: 400, message: 'The incident or the page has no room for this.' },
  invalidSql: { status: 400, message: 'The SQL was refused.' },
  invalidKey: { status: 401, message: 'Invalid or revoked API key.' },
  signInRequired: { status: 401, message: 'Sign in, or send a key with the scope manage.' },
  codeRequired: {
    status: 401,
    message: 'This account also needs a code of its authenticator app, or a recovery code.',
  },
  signInRefused: { status: 401, message: 'The email, the password or the code is wrong.' },
  invalidIngestKey: { status: 401, message: 'Invalid or revoked ingest key.' },
  privatePage: {
    status: 401,
    message:
      'The page is private. Send its password with HTTP Basic, under any user name, or ask from an allowed address.',
  },
  wrongScope: { status: 403, message: 'This key does not have the scope that this route needs.' },
  capabilityUnavailable: {
    status: 403,
    message: 'This capability is not available for the account of this page.',
  },
  notAllowed: { status: 403, message: 'Your role or key does not allow this.' },
  otherOrigin: {
    status: 403,
    message: 'A change with a session must come from a page of this service.',
  },
  notFound: { status: 404, message: 'Not found' },
  databaseHealthOff: { status: 404, message: 'Database health is not enabled for this page.' },
  noSuchConnection: { status: 404, message: 'The page has no connection with this id and engine.' },
  methodNotAllowed: { status: 405, message: 'Method not allowed.' },
  bodyTimeout: { status: 408, message: 'The request body took too long to arrive.' },
  conflict: { status: 409, message: 'The request contradicts what is stored.' },
  noMail: {
    status: 409,
    message: 'This service sends no email; subscribe a chat, or follow a feed of the page.',
  },
  ownEventStore: {
    status: 409,
    message: 'The page keeps its events in a ClickHouse of its own; ask that one.',
  },
  preconditionFailed: {
    status: 412,
    message: 'It has changed since it was read; nothing was changed. Read it again.',
  },
  bodyTooLarge: { status: 413, message: 'The request body is too large.' },
  tooManyEvents: { status: 413, message: 'A batch holds at most 1,000 events.' },
  tooManySpans: {
    status: 413,
    message: `A request holds at most ${withCommas(limits.otlpItemsMax)} spans or data points that count.`,
  },
  sqlResultTooLarge: {
    status: 413,
    message: 'The result is larger than one answer may be; aggregate or add a LIMIT.',
  },
  expectationFailed: { status: 417, message: 'The header Expect can only be 100-continue.' },
  rateLimited: { status: 429, message: 'Too many requests on this key; wait and retry.' },
  tooManySignUps: { status: 429, message: 'Too many sign-ups; wait and retry.' },
  tooManySignIns: { status: 429, message: 'Too many failed sign-ins; wait and retry.' },
  tooManySources: { status: 429, message: 'The page has as many sources as it may have; wait and retry.' },
  sqlTooExpensive: {
    status: 422,
    message: 'The query needs more time, rows or memory than one query may use; narrow its time range.',
  },
  headersTooLarge: { status: 431, message: 'The request headers are too large.' },
  /** The status that nginx writes into its log for the same. Nobody receives it: it is for metrics and log. */
  callerGone: { status: 499, message: 'The caller closed the connection before the answer.' },
  internal: { status: 500, message: 'Internal error.' },
  storeBusy: {
    status: 503,
    message: 'The event store is not keeping up; nothing of this batch was stored. Retry later.',
  },
  storeUnavailable: { status: 503, message: 'The store cannot be reached right now. Retry later.' },
  ownStoreUnavailable: {
    status: 503,
    message: "The page's own event store cannot be used right now. Check that ClickHouse, then retry.",
  },
  overloaded: {
    status: 503,
    message: 'The service is receiving as much as it can; nothing was stored. Retry later.',
  },
  shuttingDown: { status: 503, message: 'The service is shutting down. Retry.' },
} as const satisfies Record<string, { status: number; message: string }>;

export type ErrorKind = keyof typeof errorRegistry;
