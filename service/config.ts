import { isIP } from 'node:net';

/** What the service is told by its environment. Nothing else of it is read anywhere. */
export type Config = {
  host: string;
  port: number;
  baseUrl?: URL;
  databaseUrl?: string;
  clickhouseUrl?: string;
  /** Name of a cluster that the server is a part of. */
  clickhouseCluster?: string;
  dataDir: string;
  secretKey?: string;
  /** Where email goes out, as smtp:// or smtps://, with the sender's address as its `from` parameter. */
  smtpUrl?: string;
  /** A LibreTranslate server; its API key, where it needs one, is the `api_key` parameter. */
  translateUrl?: string;
  /** Addresses and networks of proxies whose X-Forwarded-For and X-Forwarded-Host are believed. */
  trustedProxies: string[];
  /** Whether requests that tenants configure may go to loopback and private networks. */
  allowPrivateAddresses: boolean;
  /** Processes that share the port. */
  workers: number;
  logLevel: LogLevel;
};

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

/** Its message is one plain sentence for the person who starts the service. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

const known = new Set([
  'HEARTLINE_DATA_DIR',
  'HEARTLINE_SECRET_KEY',
  'HEARTLINE_SMTP_URL',
  'HEARTLINE_TRANSLATE_URL',
  'HEARTLINE_TRUSTED_PROXIES',
  'HEARTLINE_ALLOW_PRIVATE_ADDRESSES',
  'HEARTLINE_WORKERS',
]);

/** Each holds connections to PostgreSQL, of which the embedded one takes 200. */
const workersMax = 8;

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads and checks the configuration; an empty variable counts as unset.
 *
 * @throws ConfigError for a bad value, and for an unknown variable with our prefix: a misspelt setting that is
 *   silently ignored is found out in production.
 */
export function readConfig(env: Environment): Config {
  for (const name of Object.keys(env)) {
    if (name.startsWith('HEARTLINE_') && !known.has(name)) {
      throw new ConfigError(`${name} is not a setting of Heartline; known are ${[...known].join(', ')}.`);
    }
  }
  const databaseUrl = readUrl(env, 'DATABASE_URL', ['postgres:', 'postgresql:']);
  const clickhouseUrl = readUrl(env, 'CLICKHOUSE_URL', ['http:', 'https:']);
  const clickhouseCluster = readCluster(env, clickhouseUrl);
  const baseUrl = readUrl(env, 'BASE_URL', ['http:', 'https:']);
  const smtpUrl = readUrl(env, 'HEARTLINE_SMTP_URL', ['smtp:', 'smtps:']);
  const translateUrl = readUrl(env, 'HEARTLINE_TRANSLATE_URL', ['http:', 'https:']);
  const secretKey = read(env, 'HEARTLINE_SECRET_KEY');
  if (secretKey !== undefined && secretKey.length < 32) {
    throw new ConfigError(
      'HEARTLINE_SECRET_KEY must have at least 32 characters; make one with: openssl rand -base64 32',
    );
  }
  if (databaseUrl !== undefined && clickhouseUrl !== undefined && secretKey === undefined) {
    throw new ConfigError(
      'HEARTLINE_SECRET_KEY must be set when DATABASE_URL and CLICKHOUSE_URL are: every instance needs the same one.',
    );
  }
  return {
    host: read(env, 'HOST') ?? '127.0.0.1',
    port: readPort(env),
    ...(baseUrl !== undefined && { baseUrl: new URL(baseUrl) }),
    ...(databaseUrl !== undefined && { databaseUrl }),
    ...(clickhouseUrl !== undefined && { clickhouseUrl }),
    ...(clickhouseCluster !== undefined && { clickhouseCluster }),
    dataDir: read(env, 'HEARTLINE_DATA_DIR') ?? './data',
    ...(secretKey !== undefined && { secretKey }),
    ...(smtpUrl !== undefined && { smtpUrl }),
    ...(translateUrl !== undefined && { translateUrl }),
    trustedProxies: readTrustedProxies(env),
    allowPrivateAddresses: readSwitch(env, 'HEARTLINE_ALLOW_PRIVATE_ADDRESSES'),
    workers: readWorkers(env),
    logLevel: readLogLevel(env),
  };
}

function read(env: Environment, name: string): string | undefined {
  const value = env[name]?.trim();
  return value === '' ? undefined : value;
}

function readUrl(env: Environment, name: string, protocols: readonly string[]): string | undefined {
  const value = read(env, name);
  if (value === undefined) return undefined;
  // The value may hold a password, so the sentence never repeats it.
  if (!URL.canParse(value) || !protocols.includes(new URL(value).protocol)) {
    throw new ConfigError(
      `${name} must be a URL that starts with ${protocols.map((p) => `${p}//`).join(' or ')}.`,
    );
  }
  return value;
}

function readCluster(env: Environment, clickhouseUrl: string | undefined): string | undefined {
  const name = read(env, 'CLICKHOUSE_CLUSTER');
  if (name === undefined) return undefined;
  if (!/^[\w.-]{1,100}$/.test(name)) {
    throw new ConfigError('CLICKHOUSE_CLUSTER must be the name of a cluster: letters, digits and _ . -');
  }
  if (clickhouseUrl === undefined) {
    throw new ConfigError(
      'CLICKHOUSE_CLUSTER needs CLICKHOUSE_URL, the address of a server of the cluster: the embedded store stands alone.',
    );
  }
  return name;
}

function readPort(env: Environment): number {
  const value = read(env, 'PORT') ?? '8080';
  const port = Number(value);
  if (!/^\d{1,5}$/.test(value) || port > 65_535) {
    throw new ConfigError(`PORT must be a number from 0 to 65535, not "${value}".`);
  }
  return port;
}

function readWorkers(env: Environment): number {
  const value = read(env, 'HEARTLINE_WORKERS') ?? '1';
  const workers = Number(value);
  if (!/^\d{1,3}$/.test(value) || workers < 1 || workers > workersMax) {
    throw new ConfigError(`HEARTLINE_WORKERS must be a number from 1 to ${workersMax}, not "${value}".`);
  }
  return workers;
}

function readLogLevel(env: Environment): LogLevel {
  const value = read(env, 'LOG_LEVEL') ?? 'info';
  const level = logLevels.find((known) => known === value);
  if (level === undefined) {
    throw new ConfigError(`LOG_LEVEL must be one of ${logLevels.join(', ')}, not "${value}".`);
  }
  return level;
}

function readSwitch(env: Environment, name: string): boolean {
  const value = read(env, name) ?? 'off';
  if (value !== 'on' && value !== 'off') throw new ConfigError(`${name} must be on or off, not "${value}".`);
  return value === 'on';
}

/** Addresses, or networks such as 10.0.0.0/8, with commas between them. */
function readTrustedProxies(env: Environment): string[] {
  const proxies = (read(env, 'HEARTLINE_TRUSTED_PROXIES') ?? '').split(',').map((text) => text.trim());
  return proxies.filter(Boolean).map((proxy) => {
    const [address = '', prefix] = proxy.split('/', 2);
    const bits = isIP(address) === 6 ? 128 : 32;
    if (
      isIP(address) === 0 ||
      (prefix !== undefined && !(/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits))
    ) {
      throw new ConfigError(
        `HEARTLINE_TRUSTED_PROXIES must list addresses or networks such as 10.0.0.0/8, not "${proxy}".`,
      );
    }
    return proxy;
  });
}
