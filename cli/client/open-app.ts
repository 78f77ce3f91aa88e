import inject from 'light-my-request';
import { createCommandApp } from '../../api/command-app.js';
import { createOriginParser } from '../../api/request-origin.js';
import type { Actor } from '../../control/audit/index.js';
import type { Clock } from '../../lib/clock.js';
import { createOutbound } from '../../lib/outbound/request.js';
import { commandName } from '../../lib/printed-commands.js';
import { createPasswords } from '../../lib/secrets/passwords.js';
import type { Config } from '../../service/config.js';
import type { Sql } from '../../sql/open-postgres.js';
import { prepareEventStore } from '../../sql/prepare-event-store.js';
import { mayPagesBePrivate } from '../may-be-private.js';
import type { Body, Method, Transport } from './client.js';

export type AppDeps = {
  config: Config;
  /** `by` is the person who runs the command. */
  openControl(): Promise<{ sql: Sql; clock: Clock; by: Actor }>;
  serviceUrl(): Promise<string>;
};

/** The routes of the management API on the stores of a command. */
export type App = Pick<Transport, 'request'>;

/** Builds the application without listening. */
export async function openApp({ config, openControl, serviceUrl }: AppDeps, secretKey: string): Promise<App> {
  const { sql, clock, by } = await openControl();
  const [isPrivateAllowed, baseUrl] = await Promise.all([mayPagesBePrivate(config, sql), serviceUrl()]);
  const allowPrivateAddresses = () => isPrivateAllowed;
  const failures: unknown[] = [];
  const note = (fields: object): void => {
    if ('err' in fields) failures.push(fields.err);
  };
  const log = { debug() {}, info() {}, warn: note, error: note };
  const outbound = createOutbound({ allowPrivateAddresses });
  const listener = createCommandApp({
    ...{ sql, clock, log, secretKey, allowPrivateAddresses, operator: by },
    passwords: createPasswords(),
    parseOrigin: createOriginParser([]),
    prepareEventStore: (address) => prepareEventStore(address, { outbound, log }),
    baseUrl: () => baseUrl,
    hasBaseUrl: config.baseUrl !== undefined,
    // A service that runs on the same stores follows their changes by itself.
    ...{ onChange() {}, onDeleted() {}, onAnnounced() {} },
  });
  return {
    async request(method, path, body, condition) {
      const request = toRequest(method, path, body);
      const {
        statusCode: status,
        payload,
        headers,
      } = await inject(listener, {
        ...request,
        headers: { ...request.headers, ...condition },
      });
      // The log of a service has the cause of a failure, and the operator may read it.
      const failure = failures.pop();
      if (status >= 500 && failure !== undefined) throw failure;
      if (status < 400) return { status, text: payload, tag: headers.etag };
      // The command line begins the commands in hints with a prefix of its own, which names the data folder.
      return { status, text: payload.replaceAll(`${commandName} `, 'heartline ') };
    },
  };
}

function toRequest(method: Method, url: string, body: Body | undefined) {
  const headers = { host: 'localhost' };
  if (body === undefined) return { method, url, headers };
  const { value, mediaType = 'application/json' } = body;
  const payload = value instanceof Uint8Array ? Buffer.from(value) : JSON.stringify(value);
  return { method, url, headers: { ...headers, 'content-type': mediaType }, payload };
}
