import { randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import { summaryLimits } from '../../../contract/public/summary.js';
import type { Call, Example, Memory, Sent } from './example.js';
import type { Site } from './site.js';
import type { StoreFault } from './store-faults.js';

/** The bound on every answer, whatever is down. */
export const answerSecondsMax = 10;
/** Longer than the bound, so that the table shows by how much a route misses it. */
const waitMs = 20_000;

/** A page, and what the service knows of it. */
export type Visited = { site: Site; memory: Memory };

/** An example of a route, asked for on one page. */
export type Asked = Visited & { route: string; example: Example };

export type Outcome = Asked & {
  call: Call;
  seconds: number;
  /** Absent without an answer. */
  answer?: { status: number; headers: Headers; body: string };
};

/** Sends the request of an example. `fault` is the one that lasts meanwhile. */
export type Caller = (asked: Asked, fault?: StoreFault) => Promise<Outcome>;

/**
 * Returns a function that calls the service. Requests that a fault may hold up are sent at once, up to 64 of them, so that
 * they compete for connections and places. Beside them, at most 8 are open of those that are answered as usual: more of
 * them would measure how fast the machine is.
 */
export function createCaller(serviceUrl: string, now: () => number): Caller {
  const heldUp = new Agent({ maxSockets: 64 });
  // All of these have work to do once the store is back.
  const delayed = new Agent({ maxSockets: 16 });
  const others = new Agent({ maxSockets: 8 });
  const counts = new Map<string, number>();
  return async (asked, fault) => {
    const { route, example, site, memory } = asked;
    const place = `${site.slug} ${nameOf(route, example)}`;
    const earlier = counts.get(place) ?? 0;
    counts.set(place, earlier + 1);
    const call = { site, memory, mark: randomUUID(), earlier, now: now() };
    const method = example.method ?? methodOf(route);
    // Memory is asked only after the stores have had some seconds.
    const held = fault !== undefined && isHit(fault, example, example.kept ? 'cold' : memory);
    const agent = held ? (fault.lasts ? heldUp : delayed) : others;
    return {
      route,
      example,
      site,
      memory,
      call,
      ...(await send(agent, serviceUrl, method, site.host, example.send(call))),
    };
  };
}

const methodOf = (route: string): string => /^(?:POST|PUT|PATCH|DELETE) /.exec(route)?.[0].trim() ?? 'GET';

/** The name of an example, in the table and in messages. */
export function nameOf(route: string, { variant }: Example): string {
  return variant === undefined ? route : `${route} (${variant})`;
}

function send(
  agent: Agent,
  serviceUrl: string,
  method: string,
  pageHost: string,
  { path, host = pageHost, headers = {}, body }: Sent,
): Promise<Pick<Outcome, 'seconds' | 'answer'>> {
  return new Promise((resolve) => {
    const sending = request(new URL(path, serviceUrl), { agent, method, headers: { ...headers, host } });
    // The wait for one of the connections is no part of the answer's time.
    let startedAt = performance.now();
    const seconds = () => (performance.now() - startedAt) / 1_000;
    let timer: NodeJS.Timeout | undefined;
    const fail = () => {
      clearTimeout(timer);
      resolve({ seconds: seconds() });
    };
    sending.once('socket', () => {
      startedAt = performance.now();
      timer = setTimeout(() => sending.destroy(), waitMs);
    });
    sending.once('error', fail).once('response', (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part)).once('error', fail);
      response.once('end', () => {
        clearTimeout(timer);
        const given = new Headers();
        for (const [name, value] of Object.entries(response.headers)) given.set(name, String(value));
        const answer = {
          status: response.statusCode ?? 0,
          headers: given,
          body: Buffer.concat(parts).toString(),
        };
        resolve({ seconds: seconds(), answer });
      });
    });
    sending.end(body);
  });
}

/** Whether a fault hits a store that the answer to an example needs. */
function isHit(
  { stores }: Pick<StoreFault, 'stores'>,
  { needs, needsAny }: Example,
  memory: Memory,
): boolean {
  const isNoneLeft = stores.length === 2;
  return needs[memory].some((store) => stores.includes(store)) || (needsAny === true && isNoneLeft);
}

/** Says what is wrong with an answer that was given during a fault; nothing when it is as it must be. */
export function judge(fault: Pick<StoreFault, 'stores' | 'lasts'>, outcome: Outcome): string[] {
  const { example, memory, seconds, answer } = outcome;
  if (answer === undefined) return [`no answer within ${waitMs / 1_000} s`];
  const wrong: string[] = [];
  if (seconds > answerSecondsMax) wrong.push(`answered after ${seconds.toFixed(1)} s`);
  if (answer.status === 503) wrong.push(...judgeOutage(outcome, answer));
  else if (answer.status !== example.usual)
    wrong.push(`answered ${answer.status}: ${answer.body.slice(0, 200)}`);
  if (!isHit(fault, example, memory) && answer.status !== example.usual)
    wrong.push(`needs no store that is down, but: ${answer.status} ${answer.body.slice(0, 200)}`);
  const isFromMemory = example.kept && memory === 'warm' && fault.lasts && isHit(fault, example, 'cold');
  if (isFromMemory && ageOf(outcome) < summaryLimits.freshSeconds)
    wrong.push(`Age is ${answer.headers.get('age')}`);
  return wrong;
}

/** Says what an answer is that does not show that the service has recovered; `undefined` when it does. */
export function judgeUsual({ route, example, memory, answer, ...rest }: Outcome): string | undefined {
  const usual = answer?.status === example.usual && ageOf({ answer }) < summaryLimits.freshSeconds;
  if (usual) return undefined;
  const found =
    answer === undefined
      ? `no answer for ${rest.seconds.toFixed(1)} s`
      : `${answer.status} ${answer.body.slice(0, 200)}`;
  return `${nameOf(route, example)}, ${memory}: ${found}`;
}

const ageOf = ({ answer }: { answer?: Outcome['answer'] }) => Number(answer?.headers.get('age') ?? 0);

/** Text that only the operator may see: addresses, codes of drivers and systems, statements, places in the code. */
const internals =
  /127\.0\.0\.1|::1\b|\bE[A-Z]{5,}\b|CONNECTION_|DB::|\bselect \w|\.js:\d|[Tt]imeout|postgres:\/\//;

function judgeOutage({ example }: Outcome, { headers, body }: NonNullable<Outcome['answer']>): string[] {
  if (example.ownForm !== undefined)
    return example.ownForm.test(body) ? [] : [`503 says ${body.slice(0, 200)}`];
  const wrong: string[] = [];
  if (!/^[1-9]\d*$/.test(headers.get('retry-after') ?? '')) wrong.push('503 without Retry-After');
  if (internals.test(body)) wrong.push(`503 shows internals: ${body.slice(0, 200)}`);
  const type = headers.get('content-type') ?? '';
  if (example.view !== undefined) {
    const language = /<html lang="([^"]*)"/.exec(body)?.[1];
    if (!type.startsWith('text/html') || language !== example.view)
      wrong.push(`503 is ${type} in ${language} instead of a view in ${example.view}`);
  } else if (!type.startsWith('application/json') || !/^\{"error":"[^"]+/.test(body)) {
    wrong.push(`503 is ${type} instead of an error in JSON`);
  }
  return wrong;
}
