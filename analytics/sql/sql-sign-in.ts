import { ClickHouseError } from '@clickhouse/client';

type Auth = { username: string; password: string };

/** Sends a request as the confined user. */
export type SqlSignIn = <T>(send: (auth: Auth) => Promise<T>) => Promise<T>;

type Passwords = readonly [first: string, ...others: string[]];

/** AUTHENTICATION_FAILED */
const wrongPassword = '516';

/**
 * The confined user has the password of the instance that started last. While the secret keys of instances change one
 * by one, that may be of any key of the list, so each is tried, beginning with the one that was right last.
 */
export function createSqlSignIn(username: string, passwords: Passwords): SqlSignIn {
  let order = passwords;

  async function attempt<T>(
    send: (auth: Auth) => Promise<T>,
    [password, next, ...others]: Passwords,
  ): Promise<T> {
    try {
      const answer = await send({ username, password });
      order = [password, ...passwords.filter((other) => other !== password)];
      return answer;
    } catch (error) {
      const isRefused = error instanceof ClickHouseError && error.code === wrongPassword;
      if (next === undefined || !isRefused) throw error;
      return attempt(send, [next, ...others]);
    }
  }

  return (send) => attempt(send, order);
}
