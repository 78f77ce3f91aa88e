import { clientLeft, type Ending, failed, fine, statusOfEnding } from './outcome.js';
import { type Attributes, unmatched } from './tree.js';

/** The method of calls of procedures: all of them are one request, whatever system carries them. */
export const rpcMethod = 'RPC';

/**
 * The codes of gRPC in their order, with the status of HTTP that each counts as
 * (https://github.com/googleapis/googleapis/blob/master/google/rpc/code.proto). The conventions of OpenTelemetry make
 * UNKNOWN, DEADLINE_EXCEEDED, UNIMPLEMENTED, INTERNAL, UNAVAILABLE and DATA_LOSS errors of the server, which are these of 500
 * and above.
 */
const codes: readonly (readonly [name: string, status: number])[] = [
  ['OK', fine],
  ['CANCELLED', clientLeft],
  ['UNKNOWN', failed],
  ['INVALID_ARGUMENT', 400],
  ['DEADLINE_EXCEEDED', 504],
  ['NOT_FOUND', 404],
  ['ALREADY_EXISTS', 409],
  ['PERMISSION_DENIED', 403],
  ['RESOURCE_EXHAUSTED', 429],
  ['FAILED_PRECONDITION', 400],
  ['ABORTED', 409],
  ['OUT_OF_RANGE', 400],
  ['UNIMPLEMENTED', 501],
  ['INTERNAL', failed],
  ['UNAVAILABLE', 503],
  ['DATA_LOSS', failed],
  ['UNAUTHENTICATED', 401],
];
/** Connect writes the names in lower case, and one of them in American English. */
const statusOfName: ReadonlyMap<string, number> = new Map([...codes, ['CANCELED', clientLeft]]);

/** The attributes with the code of gRPC, in the conventions since 1.38, those before, those of Connect and of .NET. */
const codeKeys = [
  ...(['rpc.response.status_code', 'rpc.grpc.status_code', 'rpc.connect_rpc.error_code'] as const),
  'grpc.status_code',
] as const;
/** ASP.NET Core sends the path of a call in this attribute, beside those of HTTP, unless a setting turns on those of RPC. */
const aspNetMethod = 'grpc.method';

/** Whether a span or a data point is a call of a procedure. */
export function isRpc(attributes: Attributes): boolean {
  return attributes.text('rpc.system.name', 'rpc.system', aspNetMethod) !== undefined;
}

/** Returns `service/method`. Since 1.38, the method has the name of the service before it. */
export function endpointOfRpc(attributes: Attributes): string {
  const method = attributes.text('rpc.method', aspNetMethod);
  const service = attributes.text('rpc.service');
  if (method === '_OTHER') return unmatched;
  if (method === undefined || service === undefined) return withoutSlash(method ?? service ?? unmatched);
  return method.includes('/') ? withoutSlash(method) : `${service}/${method}`;
}

/** Some interceptors of Go have the path of HTTP/2 as the method. */
const withoutSlash = (name: string): string => (name.startsWith('/') ? name.slice(1) : name);

/** Returns the status of HTTP that a call counts with. A code of another system than gRPC and Connect says nothing. */
export function statusOfRpc(attributes: Attributes, ending: Ending): number {
  const number = attributes.number(...codeKeys);
  const code = number === undefined ? undefined : codes[number]?.[1];
  if (code !== undefined) return code;
  const name = attributes.text(...codeKeys)?.toUpperCase();
  const error = attributes.text('error.type');
  const named = statusOfName.get(name ?? '') ?? statusOfName.get(error?.toUpperCase() ?? '');
  return named ?? statusOfEnding(error, ending);
}
