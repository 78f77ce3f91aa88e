import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { createLimiter, type Limiter, type Release } from '../limiter.js';
import { createLru } from '../lru.js';
import { ServiceError } from '../service-error.js';
import { startDeadline } from '../timeout.js';
import { secondMs } from '../times.js';
import { neighbourhoodOf, networkOf } from '../window-counter.js';

/** Cost of scrypt (RFC 7914): 128 · N · r bytes of memory, p passes over them. */
export type ScryptParameters = { N: number; r: number; p: number };

/** A password as it is stored. */
export type StoredPassword = { hash: Buffer; salt: Buffer; parameters: ScryptParameters };

/**
 * Hashes passwords. A process makes one and shares it, because it bounds the hashes at once. `client` is the
 * address of who asks: no network takes every turn, and all strangers together leave half of them to the networks where
 * people have signed in.
 */
export type Passwords = {
  /** Notes that somebody at this address has a session: its surroundings keep a share of the turns. */
  welcome(client: string): void;
  /** @throws ServiceError `overloaded` when too many wait for a turn */
  hash(password: string, client: string): Promise<StoredPassword>;
  /**
   * Whether this is the stored password. Without a stored one the answer is false after the same work.
   *
   * @param signal ends the wait for a turn, with its reason.
   * @throws ServiceError `overloaded` when too many wait for a turn, or the turn does not come within 6 s
   */
  matches(
    password: string,
    stored: StoredPassword | undefined,
    client: string,
    signal?: AbortSignal,
  ): Promise<boolean>;
  /**
   * Runs `work`, such as a sign-in, when fewer than two of the same person from the same network run. `work` gets a
   * signal that ends its own waits when 6 s are over, or with `signal`.
   *
   * @throws ServiceError `overloaded` when too many wait for a turn, or the turn does not come within 6 s; the reason of
   *   `signal`; what `work` throws
   */
  inTurnOf<T>(
    asker: { person: string; client: string },
    work: (signal: AbortSignal) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T>;
  /** Whether the hash was made with other parameters than new ones are. */
  isOld(stored: StoredPassword): boolean;
};

/** 32 MiB and about a sixth of a second: as strong as one pass over 128 MiB, with a quarter of its memory. */
const usual: ScryptParameters = { N: 2 ** 15, r: 8, p: 3 };
const hashBytes = 32;
const saltBytes = 16;
const atOnce = 2;
/** Networks in which somebody had a session last, of about 100 bytes each. */
const knownMax = 10_000;
/** For known networks, and again for all others. An office signs in from one address: 100 hashes take about 8 s. */
const waitingMax = 200;
const waitingMaxPerClient = 100;
/** People who wait for a turn, each in a queue of their own. */
const askersWaitingMax = 500;
/** A hash takes less than a second on a busy machine, and a request is answered within 8.5 s. */
const turnMsMax = 6 * secondMs;

/** Returns the error for somebody whose turn did not come. Nothing was written. */
const busy = (): ServiceError =>
  new ServiceError('overloaded', {
    message: 'Too many people sign in at once, and this request was not handled. Retry in a few seconds.',
    retryAfterSeconds: 3,
  });

/** `parameters` apply to new hashes; stored ones are compared with their own. */
export function createPasswords({ parameters = usual }: { parameters?: ScryptParameters } = {}): Passwords {
  const ofNetworks = (): Limiter<string> =>
    createLimiter({ max: atOnce, maxPerKey: atOnce, waitingMax, waitingMaxPerKey: waitingMaxPerClient });
  const queues = { known: ofNetworks(), others: ofNetworks() };
  // Each queue lets as many through as there are turns; a free turn goes to the queue that has none.
  const turns = createLimiter<keyof typeof queues>({ max: atOnce, maxPerKey: atOnce });
  const known = createLru<string, true>(knownMax);
  const turnsOfPersons = createLimiter<string>({
    maxPerKey: atOnce,
    waitingMax: askersWaitingMax,
    waitingMaxPerKey: waitingMaxPerClient,
  });
  /** Compared with where nothing is stored. Nothing has it as its hash. */
  const nothing = { hash: Buffer.alloc(hashBytes), salt: randomBytes(saltBytes), parameters };

  async function inTurn(
    password: string,
    { salt, cost }: { salt: Buffer; cost: ScryptParameters },
    client: string,
    signal?: AbortSignal,
  ): Promise<Buffer> {
    const group = known.get(neighbourhoodOf(client)) ? 'known' : 'others';
    const leaveQueue = await waitForTurn(queues[group], networkOf(client), signal);
    try {
      const release = await waitForTurn(turns, group, signal);
      try {
        return await derive(password, salt, cost);
      } finally {
        release();
      }
    } finally {
      leaveQueue();
    }
  }

  return {
    welcome(client) {
      known.set(neighbourhoodOf(client), true);
    },
    async hash(password, client) {
      const salt = randomBytes(saltBytes);
      return { hash: await inTurn(password, { salt, cost: parameters }, client), salt, parameters };
    },
    async matches(password, stored, client, signal) {
      const { hash, salt, parameters: cost } = stored ?? nothing;
      const given = await inTurn(password, { salt, cost }, client, signal);
      return timingSafeEqual(given, hash) && stored !== undefined;
    },
    async inTurnOf({ person, client }, work, signal) {
      const deadline = startDeadline(turnMsMax, signal, busy);
      try {
        const release = await waitForTurn(turnsOfPersons, `${networkOf(client)} ${person}`, deadline.signal);
        try {
          return await work(deadline.signal);
        } finally {
          release();
        }
      } finally {
        deadline.end();
      }
    },
    isOld({ parameters: { N, r, p } }) {
      return N !== parameters.N || r !== parameters.r || p !== parameters.p;
    },
  };
}

/** @throws ServiceError `overloaded`; the reason of `signal` */
async function waitForTurn(
  limiter: Limiter<string>,
  key: string,
  signal: AbortSignal | undefined,
): Promise<Release> {
  const deadline = startDeadline(turnMsMax, signal, busy);
  try {
    const release = await limiter.take(key, deadline.signal);
    if (release === undefined) throw busy();
    return release;
  } finally {
    deadline.end();
  }
}

/** The same text may be typed in composed and decomposed characters. */
function derive(password: string, salt: Buffer, { N, r, p }: ScryptParameters): Promise<Buffer> {
  const maxmem = 128 * N * r + 1024 * (r * p + 32) * 2;
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFKC'), salt, hashBytes, { N, r, p, maxmem }, (error, hash) => {
      if (error === null) resolve(hash);
      else reject(error);
    });
  });
}
