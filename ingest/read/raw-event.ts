/** An event as JSON.parse returns it, with every alias of its fields. A field may hold any value. */
export type RawEvent = {
  service?: unknown;
  app?: unknown;
  component?: unknown;
  endpoint?: unknown;
  path?: unknown;
  route?: unknown;
  method?: unknown;
  status?: unknown;
  statusCode?: unknown;
  status_code?: unknown;
  ms?: unknown;
  duration_ms?: unknown;
  message?: unknown;
  error?: unknown;
  at?: unknown;
};

/** The first alias that is present counts; null is absent. */
export const statusOf = (event: RawEvent): unknown => event.status ?? event.statusCode ?? event.status_code;
export const endpointOf = (event: RawEvent): unknown => event.endpoint ?? event.path ?? event.route;
export const serviceOf = (event: RawEvent): unknown => event.service ?? event.app ?? event.component;
export const latencyOf = (event: RawEvent): unknown => event.ms ?? event.duration_ms;
export const messageOf = (event: RawEvent): unknown => event.message ?? event.error;
