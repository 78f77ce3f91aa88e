/** A small seeded generator (mulberry32): every run sends the same events. */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const services = ['checkout', 'catalogue', 'accounts'];
const methods = ['GET', 'POST', 'PUT', 'DELETE'];
const nouns = [
  'orders',
  'carts',
  'users',
  'invoices',
  'products',
  'reviews',
  'sessions',
  'addresses',
  'coupons',
  'events',
];
const tails = ['', '/:id', '/:id/items', '/:id/history', '/search'];

/** 50 route templates, each of one service. */
const endpoints = nouns.flatMap((noun) => tails.map((tail) => `/api/v1/${noun}${tail}`));

function pickStatus(random: number): number {
  if (random < 0.93) return random < 0.8 ? 200 : 201;
  if (random < 0.985) return random < 0.97 ? 404 : 422;
  return random < 0.995 ? 500 : 503;
}

/** A log-normal response time with a median of 40 ms. */
function latencyMs(random: () => number): number {
  const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  return Math.round(40 * Math.exp(0.8 * normal) * 1000) / 1000;
}

/**
 * The JSON of one batch: 50 endpoints, 3 services, 4 methods, mostly successes, a message on each failure, and
 * times of the last two seconds.
 */
export function makeBatch(events: number, seed: number, now: number): string {
  const random = seeded(seed);
  const list = Array.from({ length: events }, () => {
    const endpoint = Math.floor(random() * endpoints.length);
    const status = pickStatus(random());
    return {
      service: services[endpoint % services.length],
      endpoint: endpoints[endpoint],
      method: methods[Math.floor(random() ** 2 * methods.length)],
      status,
      ms: latencyMs(random),
      at: new Date(now - Math.floor(random() * 2000)).toISOString(),
      ...(status >= 500 && { message: `upstream answered ${status} after ${Math.floor(random() * 30)} s` }),
    };
  });
  return JSON.stringify({ events: list });
}

/** The same events as line protocol, with the key of a row as tags. */
export function toLineProtocol(batch: string): string {
  const { events } = JSON.parse(batch) as {
    events: Record<'service' | 'endpoint' | 'method' | 'status' | 'ms' | 'at', string>[];
  };
  return events
    .map((event, i) => {
      const tags = `service=${event.service},endpoint=${event.endpoint},method=${event.method},status=${event.status}`;
      // Distinct nanoseconds, because two points of one series at one nanosecond would be one point.
      return `requests,${tags} ms=${event.ms} ${BigInt(Date.parse(event.at)) * 1_000_000n + BigInt(i)}`;
    })
    .join('\n');
}
