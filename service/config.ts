import type { Gateways } from '../control/contact-ways/index.js';
import type { OidcSettings } from '../control/people/index.js';
import { nearestNames } from '../lib/mistakes/nearest.js';
import { isNetwork, privateNetworks } from '../lib/networks.js';
import { findSecretKeyMistake } from '../lib/secrets/secret-keys.js';
import { gatewaySettings, parseGateways } from './settings/gateway-settings.js';
import { parseOidc } from './settings/oidc-settings.js';
import { ConfigError, type Environment, parseSwitch, parseUrl, settingOf } from './settings/read-setting.js';

export { ConfigError } from './settings/read-setting.js';

/** The tasks of an instance of the service. Every instance answers /healthz, /readyz and /metrics. */
export const roles = [
  /** Answers requests. */
  'api',
  /** Runs scheduled jobs. */
  'jobs',
  /** Checks monitors. */
  'probe',
  /** Delivers email, webhooks, translations and buffered events. */
  'deliver',
] as const;
export type Role = (typeof roles)[number];

/** The configuration of the service. No other code reads the environment. */
export type Config = {
  host: string;
  port: number;
  /** The port for OTLP over gRPC; 0 for none. */
  otlpGrpcPort: number;
  /** Whether somebody has chosen it. Another program on the machine may have the usual one. */
  hasOtlpGrpcPort: boolean;
  baseUrl?: URL;
  databaseUrl?: string;
  clickhouseUrl?: string;
  /** Name of the cluster that the ClickHouse server belongs to. */
  clickhouseCluster?: string;
  dataDir: string;
  /** Bytes that the log of each process may take. */
  logBytesMax: number;
  /** Memory that the embedded ClickHouse may use; by default a share of the machine's. */
  clickhouseMemoryBytes?: number;
  /** Keys with commas between them: the first one seals, and all open. */
  secretKey?: string;
  /** Mail server, as smtp:// or smtps://; openSmtp() lists its parameters. */
  smtpUrl?: string;
  /** Send text messages and calls to people. */
  gateways: Gateways;
  /** A LibreTranslate server; the `api_key` parameter is its API key, if it needs one. */
  translateUrl?: string;
  /** Addresses and networks of proxies whose X-Forwarded-For and X-Forwarded-Host are trusted. */
  trustedProxies: string[];
  /** Addresses and networks from which /metrics and /readyz are answered. */
  metricsFrom: string[];
  /**
   * Whether requests that tenants configure may go to loopback and private networks; without it, the installation
   * decides in the dashboard.
   */
  allowPrivateAddresses?: boolean;
  /** Identity provider that signs people in; by default they sign in with a password only. */
  oidc?: OidcSettings;
  /** Whether people may sign in with a password. */
  localSignIn: boolean;
  /** Processes that share the port, from HEARTLINE_WORKERS. */
  processes: number;
  logLevel: LogLevel;
  /** By default text on a terminal, and JSON into a file or a pipe. */
  logFormat?: LogFormat;
  /** Sentences for the person who starts the service, about settings that are set and have no effect. */
  warnings: readonly string[];
};

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

const logFormats = ['text', 'json'] as const;
export type LogFormat = (typeof logFormats)[number];

const otlpGrpcPort = 'HEARTLINE_OTLP_GRPC_PORT';

const known = new Set<string>([
  'HEARTLINE_DATA_DIR',
  'HEARTLINE_LOG_MAX_BYTES',
  'HEARTLINE_CLICKHOUSE_MEMORY',
  'HEARTLINE_SECRET_KEY',
  'HEARTLINE_SMTP_URL',
  ...gatewaySettings,
  'HEARTLINE_TRANSLATE_URL',
  'HEARTLINE_TRUSTED_PROXIES',
  'HEARTLINE_METRICS_FROM',
  'HEARTLINE_ALLOW_PRIVATE_ADDRESSES',
  'HEARTLINE_WORKERS',
  'HEARTLINE_LOG_FORMAT',
  otlpGrpcPort,
  'HEARTLINE_OIDC_ISSUER',
  'HEARTLINE_OIDC_CLIENT_ID',
  'HEARTLINE_OIDC_CLIENT_SECRET',
  'HEARTLINE_OIDC_SCOPES',
  'HEARTLINE_OIDC_TRUST_EMAIL',
  'HEARTLINE_OIDC_GROUPS_CLAIM',
  'HEARTLINE_OIDC_GROUPS',
  'HEARTLINE_LOCAL_SIGN_IN',
  'HEARTLINE_URL',
  'HEARTLINE_KEY',
]);

/** Settings of earlier versions. An upgrade starts with them. */
const retired: Readonly<Record<string, string>> = {
  HEARTLINE_ACK:
    'HEARTLINE_ACK has no effect any more; unset it. Events are acknowledged from the log if the data folder can be written, and from PostgreSQL otherwise.',
};

const privateAddresses = 'HEARTLINE_ALLOW_PRIVATE_ADDRESSES';

export const usualDataDir = './data';

/** Each process holds connections to PostgreSQL, and the embedded PostgreSQL accepts 224. */
const processesMax = 8;

/**
 * Reads and checks the configuration. An empty variable counts as unset.
 *
 * @throws ConfigError for a bad value, and for an unknown variable with the prefix HEARTLINE_: a misspelt setting that
 *   is silently ignored shows only in production.
 */
export function parseConfig(env: Environment): Config {
  for (const name of Object.keys(env)) {
    if (name.startsWith('HEARTLINE_') && !known.has(name) && retired[name] === undefined) {
      throw new ConfigError(`${name} is not a setting of Heartline; ${insteadOf(name)}`);
    }
  }
  const databaseUrl = parseUrl(env, 'DATABASE_URL', ['postgres:', 'postgresql:']);
  const clickhouseUrl = parseUrl(env, 'CLICKHOUSE_URL', ['http:', 'https:']);
  const clickhouseCluster = parseCluster(env, clickhouseUrl);
  const baseUrl = parseUrl(env, 'BASE_URL', ['http:', 'https:']);
  const smtpUrl = parseUrl(env, 'HEARTLINE_SMTP_URL', ['smtp:', 'smtps:']);
  const translateUrl = parseUrl(env, 'HEARTLINE_TRANSLATE_URL', ['http:', 'https:']);
  const clickhouseMemoryBytes = parseMemory(env, 'HEARTLINE_CLICKHOUSE_MEMORY');
  const logFormat = parseLogFormat(env);
  const oidc = parseOidc(env);
  const localSignIn = parseSwitch(env, 'HEARTLINE_LOCAL_SIGN_IN', 'on');
  if (!localSignIn && oidc === undefined) {
    throw new ConfigError(
      'HEARTLINE_LOCAL_SIGN_IN=off needs HEARTLINE_OIDC_ISSUER: without either, nobody could sign in.',
    );
  }
  const secretKey = settingOf(env, 'HEARTLINE_SECRET_KEY');
  const mistake = secretKey === undefined ? undefined : findSecretKeyMistake(secretKey);
  if (mistake !== undefined) throw new ConfigError(`HEARTLINE_SECRET_KEY ${mistake}`);
  if (databaseUrl !== undefined && clickhouseUrl !== undefined && secretKey === undefined) {
    throw new ConfigError(
      'HEARTLINE_SECRET_KEY must be set when DATABASE_URL and CLICKHOUSE_URL are: every instance needs the same key.',
    );
  }
  return {
    host: settingOf(env, 'HOST') ?? '127.0.0.1',
    port: parsePort(env, 'PORT', '8080'),
    otlpGrpcPort: parsePort(env, otlpGrpcPort, '4317'),
    hasOtlpGrpcPort: settingOf(env, otlpGrpcPort) !== undefined,
    ...(baseUrl !== undefined && { baseUrl: new URL(baseUrl) }),
    ...(databaseUrl !== undefined && { databaseUrl }),
    ...(clickhouseUrl !== undefined && { clickhouseUrl }),
    ...(clickhouseCluster !== undefined && { clickhouseCluster }),
    dataDir: settingOf(env, 'HEARTLINE_DATA_DIR') ?? usualDataDir,
    logBytesMax: parseLogBytes(env),
    ...(clickhouseMemoryBytes !== undefined && { clickhouseMemoryBytes }),
    ...(secretKey !== undefined && { secretKey }),
    ...(smtpUrl !== undefined && { smtpUrl }),
    gateways: parseGateways(env),
    ...(translateUrl !== undefined && { translateUrl }),
    trustedProxies: parseNetworks(env, 'HEARTLINE_TRUSTED_PROXIES'),
    metricsFrom: parseMetricsFrom(env),
    ...(settingOf(env, privateAddresses) !== undefined && {
      allowPrivateAddresses: parseSwitch(env, privateAddresses),
    }),
    ...(oidc !== undefined && { oidc }),
    localSignIn,
    processes: parseProcesses(env),
    logLevel: parseLogLevel(env),
    ...(logFormat !== undefined && { logFormat }),
    warnings: Object.entries(retired).flatMap(([name, text]) =>
      settingOf(env, name) === undefined ? [] : text,
    ),
  };
}

const withoutPrefix = [
  'BASE_URL',
  'DATABASE_URL',
  'CLICKHOUSE_URL',
  'CLICKHOUSE_CLUSTER',
  'LOG_LEVEL',
  'HOST',
  'PORT',
];

/** Compares without the prefix, which would hide the difference. */
function insteadOf(name: string): string {
  const all = [...known, ...withoutPrefix];
  const shortOf = (long: string): string => long.replace(/^HEARTLINE_/, '');
  const [near] = nearestNames(shortOf(name), all.map(shortOf), 1);
  const meant = all.find((one) => near !== undefined && shortOf(one) === near);
  return meant === undefined ? `the settings are ${all.join(', ')}.` : `did you mean ${meant}?`;
}

function parseCluster(env: Environment, clickhouseUrl: string | undefined): string | undefined {
  const name = settingOf(env, 'CLICKHOUSE_CLUSTER');
  if (name === undefined) return undefined;
  if (!/^[\w.-]{1,100}$/.test(name)) {
    throw new ConfigError('CLICKHOUSE_CLUSTER must be the name of a cluster: letters, digits and _ . -');
  }
  if (clickhouseUrl === undefined) {
    throw new ConfigError(
      'CLICKHOUSE_CLUSTER needs CLICKHOUSE_URL, the address of a server of the cluster: the embedded store is not part of one.',
    );
  }
  return name;
}

function parsePort(env: Environment, name: string, usual: string): number {
  const value = settingOf(env, name) ?? usual;
  const port = Number(value);
  if (!/^\d{1,5}$/.test(value) || port > 65_535) {
    throw new ConfigError(`${name} must be a number from 0 to 65535, not "${value}".`);
  }
  return port;
}

const logBytesMaxUsual = 1024 * 1024 * 1024;
/** Some seconds of a busy service. */
const logBytesMin = 64 * 1024 ** 2;

function parseLogBytes(env: Environment): number {
  const value = settingOf(env, 'HEARTLINE_LOG_MAX_BYTES');
  if (value === undefined) return logBytesMaxUsual;
  const bytes = Number(value);
  if (!/^\d{1,15}$/.test(value) || bytes < logBytesMin) {
    throw new ConfigError(
      `HEARTLINE_LOG_MAX_BYTES must be a number of bytes from ${logBytesMin}, such as ${logBytesMaxUsual}, not "${value}".`,
    );
  }
  return bytes;
}

/** With less, the engine refuses the migrations. */
const memoryMbMin = 500;

function parseMemory(env: Environment, name: string): number | undefined {
  const value = settingOf(env, name);
  if (value === undefined) return undefined;
  const [, digits = '', unit = ''] = /^(\d{1,7}) ?([MG])B$/i.exec(value) ?? [];
  const megabytes = Number(digits) * (unit.toUpperCase() === 'G' ? 1000 : 1);
  if (digits === '' || megabytes < memoryMbMin) {
    throw new ConfigError(`${name} must be ${memoryMbMin}MB or more, such as 800MB or 4GB, not "${value}".`);
  }
  return megabytes * 1e6;
}

function parseProcesses(env: Environment): number {
  const value = settingOf(env, 'HEARTLINE_WORKERS') ?? '1';
  const count = Number(value);
  if (!/^\d{1,3}$/.test(value) || count < 1 || count > processesMax) {
    throw new ConfigError(`HEARTLINE_WORKERS must be a number from 1 to ${processesMax}, not "${value}".`);
  }
  return count;
}

function parseLogLevel(env: Environment): LogLevel {
  const value = settingOf(env, 'LOG_LEVEL') ?? 'info';
  const level = logLevels.find((known) => known === value);
  if (level === undefined) {
    throw new ConfigError(`LOG_LEVEL must be one of ${logLevels.join(', ')}, not "${value}".`);
  }
  return level;
}

function parseLogFormat(env: Environment): LogFormat | undefined {
  const value = settingOf(env, 'HEARTLINE_LOG_FORMAT');
  const format = logFormats.find((known) => known === value);
  if (value !== undefined && format === undefined) {
    throw new ConfigError(`HEARTLINE_LOG_FORMAT must be ${logFormats.join(' or ')}, not "${value}".`);
  }
  return format;
}

/** Addresses, or networks such as 10.0.0.0/8, separated by commas. `word` stands for the networks of the same name. */
function parseNetworks(env: Environment, name: string, word?: string): string[] {
  const networks = (settingOf(env, name) ?? '').split(',').map((text) => text.trim());
  return networks.filter(Boolean).map((network) => {
    if (network === word || isNetwork(network)) return network;
    const also = word === undefined ? ',' : `, or the word ${word},`;
    throw new ConfigError(
      `${name} must list addresses or networks such as 10.0.0.0/8${also} not "${network}".`,
    );
  });
}

/** The word `private` stands for the private networks, so that a list can add to them. */
function parseMetricsFrom(env: Environment): string[] {
  const given = parseNetworks(env, 'HEARTLINE_METRICS_FROM', 'private');
  const listed = given.length === 0 ? ['private'] : given;
  return listed.flatMap((network) => (network === 'private' ? privateNetworks : [network]));
}
