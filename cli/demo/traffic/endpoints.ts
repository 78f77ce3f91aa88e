/** `{id}` in a message is a different number each time, and `{hex}` a different request id. */
export type Failure = { status: number; message: string };

/** An endpoint of a source of the demo. */
export type Endpoint = {
  method: string;
  endpoint: string;
  /** Status of the requests that succeed. */
  status: number;
  /** Part of the requests of the source. */
  share: number;
  /** Half of the requests take less, in milliseconds. */
  usualMs: number;
  /** Part of the requests that end with the failure in usual times. */
  failing: number;
  failure: Failure;
};

const timeout: Failure = { status: 504, message: 'upstream request timeout' };
const deadlock: Failure = { status: 500, message: 'deadlock detected while updating row {id}' };
const invalid: Failure = { status: 422, message: 'field "country" is not a country code' };
const expired: Failure = { status: 401, message: 'token expired' };
const missing: Failure = { status: 404, message: 'no such object: {hex}' };
const limited: Failure = { status: 429, message: 'more than 20 requests in 10 s' };

function endpoint(
  route: string,
  share: number,
  usualMs: number,
  failing = 0,
  failure: Failure = missing,
): Endpoint {
  const [method = '', path = ''] = route.split(' ');
  const status = method === 'POST' ? 201 : method === 'DELETE' || method === 'PATCH' ? 204 : 200;
  return { method, endpoint: path, status, share, usualMs, failing, failure };
}

/** The endpoints of each kind of source. The shares of one sum up to 1. */
export const endpointsOf = {
  shop: [
    endpoint('GET /products/:id', 0.3, 24, 0.004),
    endpoint('GET /products', 0.17, 61, 0.0004, timeout),
    endpoint('GET /products/:id/reviews', 0.14, 46, 0.0003, timeout),
    endpoint('GET /categories/:slug', 0.1, 33, 0.002),
    endpoint('POST /cart/items', 0.08, 38, 0.006, { status: 409, message: 'item {id} is sold out' }),
    endpoint('GET /cart', 0.07, 19),
    endpoint('DELETE /cart/items/:id', 0.02, 22, 0.003),
    endpoint('POST /checkout', 0.03, 310, 0.004, {
      status: 502,
      message: 'payment provider: connection reset by peer (request {hex})',
    }),
    endpoint('POST /orders', 0.025, 120, 0.0006, deadlock),
    endpoint('GET /orders', 0.02, 74),
    endpoint('GET /orders/:id', 0.025, 41, 0.002),
    endpoint('POST /vouchers/redeem', 0.006, 55, 0.09, {
      status: 422,
      message: 'voucher SPRING-{id} has expired',
    }),
    endpoint('GET /recommendations', 0.012, 140, 0.0008, timeout),
    endpoint('GET /healthz', 0.002, 2),
  ],
  accounts: [
    endpoint('GET /me', 0.56, 11, 0.008, expired),
    endpoint('POST /login', 0.14, 145, 0.06, { status: 401, message: 'wrong password' }),
    endpoint('POST /token/refresh', 0.16, 18, 0.01, expired),
    endpoint('PATCH /me/settings', 0.05, 33, 0.004, invalid),
    endpoint('POST /signup', 0.02, 210, 0.03, { status: 409, message: 'the address is taken' }),
    endpoint('POST /password-reset', 0.01, 90, 0.02, limited),
    endpoint('GET /me/addresses', 0.05, 15),
    endpoint('DELETE /me/addresses/:id', 0.01, 21, 0.003),
  ],
  search: [
    endpoint('GET /search', 0.74, 95, 0.0006, timeout),
    endpoint('GET /suggest', 0.22, 22),
    endpoint('GET /facets', 0.04, 64),
  ],
  billing: [
    endpoint('POST /invoices', 0.22, 88, 0.004, invalid),
    endpoint('GET /invoices/:id', 0.44, 27, 0.006),
    endpoint('GET /invoices', 0.16, 66),
    endpoint('POST /refunds', 0.06, 190, 0.01, { status: 409, message: 'order {id} was refunded before' }),
    endpoint('POST /webhooks/payments', 0.12, 31),
  ],
  media: [
    endpoint('GET /images/:id', 0.72, 9, 0.002),
    endpoint('GET /images/:id/thumbnail', 0.22, 5, 0.001),
    endpoint('POST /images', 0.05, 420, 0.02, { status: 413, message: 'the image has more than 10 MB' }),
    endpoint('DELETE /images/:id', 0.01, 38),
  ],
  shipping: [
    endpoint('GET /rates', 0.46, 130, 0.003, invalid),
    endpoint('POST /labels', 0.2, 340, 0.004, invalid),
    endpoint('GET /shipments/:id', 0.28, 35, 0.01),
    endpoint('POST /webhooks/carriers', 0.06, 28),
  ],
  notifications: [
    endpoint('POST /push', 0.7, 52, 0.02, { status: 410, message: 'device {hex} is gone' }),
    endpoint('POST /sms', 0.1, 240, 0.01, invalid),
    endpoint('GET /preferences/:id', 0.2, 14),
  ],
  email: [endpoint('POST /jobs/email', 0.9, 180), endpoint('POST /jobs/digest', 0.1, 950)],
  imports: [endpoint('POST /jobs/catalog', 0.7, 1_300), endpoint('POST /jobs/prices', 0.3, 640)],
  backoffice: [
    endpoint('GET /reports/:name', 0.5, 1_900),
    endpoint('GET /customers', 0.3, 160),
    endpoint('POST /customers/:id/notes', 0.2, 45),
  ],
} as const satisfies Record<string, readonly Endpoint[]>;
