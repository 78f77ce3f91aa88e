/** `manual` is a service without checks, whose state people say in incidents. */
export const monitorKinds = ['http', 'tcp', 'heartbeat', 'manual'] as const;
export type MonitorKind = (typeof monitorKinds)[number];

/** Monitors of these kinds send requests, and have response times. */
export const probedKinds = ['http', 'tcp'] as const satisfies readonly MonitorKind[];
export const isProbed = (kind: MonitorKind): boolean => probedKinds.some((probed) => probed === kind);

/** The settings that only monitors of some kinds have. */
export const settingsOfKind = {
  http: [
    ...(['everySeconds', 'failuresToDown', 'url', 'timeoutMs', 'degradedOverMs'] as const),
    ...(['method', 'expectStatus', 'expectBody', 'tlsExpiryDays', 'headers', 'body'] as const),
  ],
  tcp: ['everySeconds', 'failuresToDown', 'url', 'timeoutMs', 'degradedOverMs'],
  heartbeat: ['everySeconds', 'failuresToDown', 'periodSeconds', 'graceSeconds'],
  manual: [],
} as const satisfies Record<MonitorKind, readonly string[]>;

/** `up` after one successful check, `down` after as many failures in a row as the monitor sets. */
export type MonitorState = 'up' | 'down';

export const httpMethods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;
export type HttpMethod = (typeof httpMethods)[number];

export const monitorLimits = {
  monitorsPerPage: 1_000,
  /** Monitors that one depends on. */
  dependencies: 20,
  everySecondsMin: 10,
  everySecondsMax: 3_600,
  timeoutMsMin: 100,
  timeoutMsMax: 60_000,
  failuresToDownMax: 20,
  headers: 50,
  /** Names and values of all headers together. */
  headerBytes: 8_192,
  requestBodyBytes: 65_536,
  expectBodyChars: 1_000,
  /** Bytes that are read of an answer. The expected text must be in them. */
  answerBytes: 65_536,
  redirects: 5,
  tlsExpiryDaysMax: 365,
  periodSecondsMin: 10,
  periodSecondsMax: 31 * 86_400,
  graceSecondsMax: 31 * 86_400,
  /** For visitors of the page. */
  descriptionChars: 300,
  linkChars: 500,
} as const;

/** Defaults of a monitor. */
export const monitorDefaults = {
  everySeconds: 60,
  timeoutMs: 10_000,
  failuresToDown: 2,
  graceSeconds: 60,
} as const;

/** The request to an HTTP server and the expected answer, without secrets. */
export type HttpOptions = {
  method: HttpMethod;
  /** Inclusive ranges of statuses, such as `200-299,404`. */
  expectStatus: string;
  /** Text that the answer must contain; null accepts any answer. */
  expectBody: string | null;
  /** A certificate that expires within this many days is a failure; null accepts any valid one. */
  tlsExpiryDays: number | null;
};

export const httpDefaults: HttpOptions = {
  method: 'GET',
  expectStatus: '200-299',
  expectBody: null,
  tlsExpiryDays: null,
};

/** A heartbeat is up while its last ping reported success and is not older than period and grace together. */
export type HeartbeatOptions = { periodSeconds: number; graceSeconds: number };

/** The part of an HTTP request that may hold credentials. It is stored sealed. */
export type RequestSecrets = {
  headers: readonly (readonly [name: string, value: string])[];
  body: string | null;
};

/**
 * Causes of a failed check.
 *
 * - `dns`: the name has no address, or no name server answered
 * - `refused`, `unreachable`, `reset`: the connection was refused, had no route, or was closed too early
 * - `tls`, `tls-expiring`: TLS is not trusted; the certificate expires soon
 * - `timeout`: the check was not complete in time
 * - `protocol`: the answer, or the target of a redirect, is not HTTP
 * - `redirect-loop`: too many redirects
 * - `status`, `body`: the answer is not the expected one
 * - `late`: the ping of a heartbeat is missing
 * - `reported`: a job told its heartbeat that it failed
 */
export const checkErrors = [
  'dns',
  'refused',
  'unreachable',
  'reset',
  'tls',
  'tls-expiring',
  'timeout',
  'protocol',
  'redirect-loop',
  'status',
  'body',
  'late',
  'reported',
] as const;
export type CheckError = (typeof checkErrors)[number];

/**
 * Causes why nothing was observed of a monitor. None is a failure of what is monitored.
 *
 * - `blocked`: the address is not public, and private addresses are not allowed
 * - `metadata`: the address belongs to a metadata service of a cloud, which is never allowed
 * - `internal`: this machine or process could not make the check
 * - `waiting`: the heartbeat was never called
 */
export type UnobservedCause = 'blocked' | 'metadata' | 'internal' | 'waiting';
