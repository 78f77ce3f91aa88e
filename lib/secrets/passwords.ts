import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { createLimiter } from '../limiter.js';
import { ServiceError } from '../service-error.js';
import { networkOf } from '../window-counter.js';

/** Cost of scrypt (RFC 7914): 128 · N · r bytes of memory, p passes over them. */
export type ScryptParameters = { N: number; r: number; p: number };

/** A password as it is stored. */
export type StoredPassword = { hash: Buffer; salt: Buffer; parameters: ScryptParameters };

/**
 * Hashes passwords. A process makes one and shares it, because it bounds the hashes at once. `client` is the
 * address of who asks: no network takes every turn.
 */
export type Passwords = {
  /** @throws ServiceError `overloaded` when too many wait for a turn */
  hash(password: string, client: string): Promise<StoredPassword>;
  /**
   * Whether this is the stored password. Without a stored one the answer is false after the same work.
   *
   * @throws ServiceError `overloaded` when too many wait for a turn
   */
  matches(password: string, stored: StoredPassword | undefined, client: string): Promise<boolean>;
  /** Whether the hash was made with other parameters than those of today. */
  isOld(stored: StoredPassword): boolean;
};

/** 32 MiB and about a sixth of a second: as strong as one pass over 128 MiB, with a quarter of its memory. */
const usual: ScryptParameters = { N: 2 ** 15, r: 8, p: 3 };
const hashBytes = 32;
const saltBytes = 16;
const atOnce = 2;
const waitingMax = 20;
const waitingMaxPerClient = 5;

/** `parameters` are those of new hashes; stored ones are compared with their own. */
export function createPasswords({ parameters = usual }: { parameters?: ScryptParameters } = {}): Passwords {
  const turns = createLimiter<string>({
    max: atOnce,
    maxPerKey: atOnce,
    waitingMax,
    waitingMaxPerKey: waitingMaxPerClient,
  });
  /** Compared with where nothing is stored. Nothing has it as its hash. */
  const nothing = { hash: Buffer.alloc(hashBytes), salt: randomBytes(saltBytes), parameters };

  async function inTurn(
    password: string,
    salt: Buffer,
    cost: ScryptParameters,
    client: string,
  ): Promise<Buffer> {
    const release = await turns.take(networkOf(client));
    if (release === undefined) {
      throw new ServiceError('overloaded', {
        message: 'Too many people sign in at once. Retry in a few seconds.',
        retryAfterSeconds: 3,
      });
    }
    try {
      return await derive(password, salt, cost);
    } finally {
      release();
    }
  }

  return {
    async hash(password, client) {
      const salt = randomBytes(saltBytes);
      return { hash: await inTurn(password, salt, parameters, client), salt, parameters };
    },
    async matches(password, stored, client) {
      const { hash, salt, parameters: cost } = stored ?? nothing;
      const given = await inTurn(password, salt, cost, client);
      return timingSafeEqual(given, hash) && stored !== undefined;
    },
    isOld({ parameters: { N, r, p } }) {
      return N !== parameters.N || r !== parameters.r || p !== parameters.p;
    },
  };
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
