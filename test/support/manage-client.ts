import type { Test } from 'tap';
import { systemClock } from '../../lib/clock.js';
import { checkAnswersWith, type Description, findOperation } from './api-description.js';
import { makeManageKeys } from './pages.js';
import type { Answer, TestService } from './service.js';

export type ManageClient = {
  /** Sends a request with a key of the page, and holds an answer with a body to the description of the API. */
  send(method: string, path: string, body?: unknown, options?: SendOptions): Promise<Answer>;
  /** Keys with the scope manage: of the page, of the page for reading alone, and of the other page. */
  keys: { write: string; read: string; other: string };
};

export type SendOptions = { key?: string | null; headers?: Record<string, string> };

/** Makes keys of the pages `acme` and `other`, and a client whose paths begin behind `/api/v1/pages`. */
export async function openManageClient(t: Test, service: TestService): Promise<ManageClient> {
  const deps = { sql: service.stores.sql, clock: systemClock };
  const keys = await makeManageKeys(deps);
  const description = (await service.get('/openapi.json')).body as Description;
  const findUndescribed = checkAnswersWith(description);

  return {
    keys,
    async send(method, path, body, { key = keys.write, headers = {} } = {}) {
      const whole = `/api/v1/pages${path}`;
      const answer = await service.post(whole, body, { method, key, headers });
      const operation = findOperation(description, method, whole.replace(/\?.*/, ''))?.operation;
      if (operation === undefined) t.fail(`${method} ${whole} is not described.`);
      else if (answer.status < 300 && answer.body !== '') {
        t.strictSame(findUndescribed(operation, answer), [], `${method} ${whole} answers as described`);
      }
      return answer;
    },
  };
}
