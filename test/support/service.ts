import { join } from 'node:path';
import type { Test } from 'tap';
import Type from 'typebox';
import { Check } from 'typebox/value';
import { errorRegistry, kindOfCode } from '../../contract/errors.js';
import { OtlpError } from '../../contract/otlp.js';
import { systemClock } from '../../lib/clock.js';
import type { PageId } from '../../lib/ids.js';
import type { Role } from '../../service/config.js';
import { type Service, type ServiceOptions, startService } from '../../service/service.js';
import { testSecretKey } from './embedded-stores.js';
import { untilDelivered } from './log-files.js';
import { makeKey, makePage } from './pages.js';
import { cheapParameters } from './passwords.js';
import { silentLog } from './silent-log.js';
import { openStores, type TestClickHouse, type TestPostgres } from './stores.js';
import { temporaryFolder } from './temporary-folder.js';
import { waitUntil } from './wait-until.js';

export type Stores = TestPostgres & TestClickHouse;

export type Answer = { status: number; headers: Headers; body: unknown };

export type PostOptions = {
  /** The ingest key of the page when not given; `null` sends no Authorization header. */
  key?: string | null;
  method?: string;
  headers?: Record<string, string>;
};

type Credentials = {
  pageId: PageId;
  ingestKey: string;
  readKey: string;
  incidentKey: string;
  /** The slugs of the pages are `acme` and `other`. */
  otherPageId: PageId;
  otherIngestKey: string;
};

export type TestService = Credentials & {
  url: string;
  stores: Stores;
  /** Folder of its log. */
  logDir: string;
  service: Service;
  get(path: string, headers?: Record<string, string>): Promise<Answer>;
  /** Sends a string or bytes unchanged, and anything else as JSON. */
  post(path: string, body: unknown, options?: PostOptions): Promise<Answer>;
  /** Resolves when ClickHouse has what this instance has acknowledged, for a test that looks there. */
  settle(): Promise<void>;
};

type Options = Partial<
  Pick<
    ServiceOptions,
    | 'clock'
    | 'log'
    | 'databaseUrl'
    | 'clickhouseUrl'
    | 'clickhouseCluster'
    | 'bodyTimeoutMs'
    | 'otlpGrpcPort'
    | 'deliveryPollMs'
    | 'trustedProxies'
    | 'smtpUrl'
    | 'gateways'
    | 'oidc'
    | 'localSignIn'
    | 'baseUrl'
    | 'translateUrl'
    | 'allowPrivateAddresses'
    | 'readerEgress'
    | 'roles'
    | 'passwordParameters'
    | 'hasStarted'
  >
> & {
  /** Whether events are acknowledged from a log, as by default, or from PostgreSQL. */
  hasLog?: boolean;
  logBytesMax?: number;
};

/** A mail server for services that take addresses, and whose mails nobody looks at. Nothing listens there. */
export const unansweredSmtp = 'smtp://127.0.0.1:9';

const logBytesMaxUsual = 64 * 1024 ** 2;

/** For tests of rows that the jobs delete or recompute: the jobs start on the real minute, at any point of a test. */
export const withoutJobs: ReadonlySet<Role> = new Set(['api', 'probe', 'deliver']);

/** Starts the service on empty stores, with two pages and their keys, and stops it when the test ends. */
export async function startTestService(t: Test, options: Options = {}): Promise<TestService> {
  return startServiceOn(t, await openStores(t), options);
}

/** Starts the service on stores that the test has opened. */
export async function startServiceOn(t: Test, stores: Stores, options: Options = {}): Promise<TestService> {
  return startInstance(t, stores, await makeCredentials(stores), options);
}

/** Starts another instance of the service on the same stores. */
export function startAnother(t: Test, first: TestService, options: Options = {}): Promise<TestService> {
  return startInstance(t, first.stores, first, options);
}

async function startInstance(
  t: Test,
  stores: Stores,
  credentials: Credentials,
  { hasLog = true, logBytesMax = logBytesMaxUsual, ...options }: Options,
): Promise<TestService> {
  const logDir = join(await temporaryFolder(t), 'log');
  const service = await startService({
    ...(hasLog && { eventLog: { dir: logDir, bytesMax: logBytesMax } }),
    databaseUrl: stores.databaseUrl,
    clickhouseUrl: stores.clickhouseUrl,
    secretKey: testSecretKey,
    host: '127.0.0.1',
    port: 0,
    clock: systemClock,
    log: silentLog,
    passwordParameters: cheapParameters,
    // With `undefined`, the installation decides, as it does in production.
    allowPrivateAddresses: false,
    ...options,
  });
  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= service.close();
    return closing;
  };
  t.teardown(close);
  const { pageId, ingestKey, readKey, incidentKey, otherPageId, otherIngestKey } = credentials;
  const get = async (path: string, headers = {}) => readAnswer(await fetch(service.url + path, { headers }));
  return {
    ...{ pageId, ingestKey, readKey, incidentKey, otherPageId, otherIngestKey, stores, logDir },
    url: service.url,
    service: { ...service, close },
    get,
    async post(path, body, { key = ingestKey, method = 'POST', headers = {} } = {}) {
      const response = await fetch(service.url + path, {
        method,
        headers: {
          'content-type': 'application/json',
          ...(key !== null && { authorization: `Bearer ${key}` }),
          ...headers,
        },
        ...(body !== undefined && { body: encodeBody(body) }),
      });
      return readAnswer(response);
    },
    async settle() {
      // A read brings the page's events to the store at once; events of another page alone follow within a second.
      await get('/api/v1/analytics/reporters', { authorization: `Bearer ${readKey}` });
      await untilDelivered(logDir);
      const isHeld = async () => (await stores.sql`select 1 from held_blocks`).length > 0;
      if (!hasLog) await waitUntil('the store has the blocks', async () => !(await isHeld()));
    },
  };
}

async function makeCredentials({ sql }: Stores): Promise<Credentials> {
  const [page, other] = [await makePage(sql), await makePage(sql, { slug: 'other' })];
  const keyOf = async (slug: string, scope: 'ingest' | 'read' | 'incident') =>
    (await makeKey({ sql, clock: systemClock }, { slug, scope })).key;
  return {
    pageId: page.id,
    ingestKey: await keyOf('acme', 'ingest'),
    readKey: await keyOf('acme', 'read'),
    incidentKey: await keyOf('acme', 'incident'),
    otherPageId: other.id,
    otherIngestKey: await keyOf('other', 'ingest'),
  };
}

function encodeBody(body: unknown): string | Uint8Array<ArrayBuffer> {
  if (body instanceof Uint8Array) return Uint8Array.from(body);
  return typeof body === 'string' ? body : JSON.stringify(body);
}

const Refusal = Type.Object({ error: Type.String(), code: Type.String() });
/** JSON-RPC has errors of its own. */
const RpcFailure = Type.Object({ jsonrpc: Type.String() });

/**
 * Every error has a code of the registry, which docs/errors.md explains, and the status of its kind. The report of
 * /readyz is no error, whatever its status.
 */
function checkCode({ status, url }: Response, body: unknown): void {
  if (Check(RpcFailure, body) || new URL(url).pathname === '/readyz') return;
  const code = Check(OtlpError, body)
    ? body.details[0]?.reason
    : Check(Refusal, body)
      ? body.code
      : undefined;
  const kind = code === undefined ? undefined : kindOfCode(code);
  if (kind !== undefined && errorRegistry[kind].status === status) return;
  throw new Error(`${url} answers ${status} with the code ${code}: ${JSON.stringify(body).slice(0, 200)}`);
}

async function readAnswer(response: Response): Promise<Answer> {
  const text = await response.text();
  const isJson = (response.headers.get('content-type') ?? '').startsWith('application/json');
  const body: unknown = isJson && text !== '' ? JSON.parse(text) : text;
  if (isJson && response.status >= 400) checkCode(response, body);
  return { status: response.status, headers: response.headers, body };
}
