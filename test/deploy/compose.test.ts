import { execFile } from 'node:child_process';
import { access, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Ajv } from 'ajv';
import t from 'tap';
import { parse } from 'yaml';
import { parseConfig } from '../../service/config.js';
import { temporaryFolder } from '../support/temporary-folder.js';

type ComposeService = {
  image: string;
  restart: string;
  environment: Record<string, string>;
  ports?: string[];
  volumes?: string[];
  networks: string[];
  profiles?: string[];
  healthcheck: { test: string[] };
  deploy: { resources: { limits: { cpus: string; memory: string } } };
  user?: string;
  read_only?: boolean;
};
type Compose = {
  services: Record<string, ComposeService>;
  networks: Record<string, { internal?: boolean }>;
  volumes: Record<string, unknown>;
};

const root = fileURLToPath(new URL('../../../', import.meta.url));
const readText = (path: string) => readFile(join(root, path), 'utf8');
const text = await readText('docker-compose.yml');
const compose: Compose = parse(text, { merge: true });
const services = Object.entries(compose.services);

/** `${NAME:-default}` and `${NAME:?message}`, the two forms in the file. */
const variableForm = /\$\{(\w+):([-?])([^}]*)\}/g;
const variables = [...text.matchAll(variableForm)].map(([, name = '', kind, rest = '']) => ({
  name,
  kind,
  rest,
}));

/** Substitutes the variables in strings, like Compose. */
function interpolate(env: Readonly<Record<string, string>>): Compose {
  const replace = (_: string, name: string, kind: string, rest: string): string => {
    const value = env[name] ?? (kind === '-' ? rest : undefined);
    if (value === undefined) throw new Error(`${name} is required.`);
    return value;
  };
  return JSON.parse(JSON.stringify(compose), (_, value: unknown) =>
    typeof value === 'string' ? value.replaceAll(variableForm, replace) : value,
  );
}

/** Runs deploy/make-env.sh in a new folder and returns its .env. */
async function makeEnv(folder: string): Promise<Record<string, string>> {
  await promisify(execFile)('sh', [join(root, 'deploy/make-env.sh'), folder]);
  const lines = (await readFile(join(folder, '.env'), 'utf8')).split('\n');
  return Object.fromEntries(
    lines.filter((line) => /^\w+=/.test(line)).map((line) => line.split(/=(.*)/s, 2)),
  );
}

t.test('docker-compose.yml satisfies the schema of the Compose Specification', async (t) => {
  const schema: object = JSON.parse(await readText('test/fixtures/compose-spec/compose.schema.json'));
  const isValid = new Ajv({ strict: false, validateFormats: false, validateSchema: false }).compile(schema);
  t.ok(isValid(compose), JSON.stringify(isValid.errors));
  const misspelt = structuredClone(compose);
  Object.assign(misspelt.services['heartline'] ?? {}, { enviroment: {} });
  t.notOk(isValid(misspelt), 'the schema notices a key that does not exist');
});

t.test('it contains no password: each comes from a required variable', async (t) => {
  const secret = /PASSWORD|SECRET/;
  for (const [name, { environment }] of services) {
    for (const [key, value] of Object.entries(environment)) {
      if (secret.test(key)) t.match(value, /^\$\{\w+:\?[^}]+\}$/, `${name}: ${key}`);
      const set = value.replaceAll(variableForm, (_, _name, kind, rest) =>
        kind === '?' ? 'required' : rest,
      );
      if (URL.canParse(set)) t.match(new URL(set).password, /^(required)?$/, `${name}: ${key}`);
    }
  }
  t.equal([...text.matchAll(/\$(?!\{)/g)].length, 0, 'there are no variables of other forms');
  t.equal(variables.length, [...text.matchAll(/\$\{/g)].length);
  for (const { name, kind, rest } of variables) {
    t.equal(kind === '?', secret.test(name), `${name}: secrets are required, the rest has a default`);
    if (kind === '?') t.match(rest, /^[A-Z].*\.$/, `${name}: a sentence says what to do`);
    else t.notMatch(rest, /@.*:|password/i, `${name}: its default is harmless`);
  }
});

t.test('deploy/make-env.sh creates every required variable, different for each installation', async (t) => {
  const folders = [await temporaryFolder(t), await temporaryFolder(t)] as const;
  const [one, other] = [await makeEnv(folders[0]), await makeEnv(folders[1])];
  const required = variables.filter(({ kind }) => kind === '?').map(({ name }) => name);
  t.strictSame(Object.keys(one).sort(), [...new Set(required)].sort());
  const values = [...Object.values(one), ...Object.values(other)];
  t.equal(new Set(values).size, values.length, 'no value twice');
  for (const value of values) t.match(value, /^[0-9a-f]{48}$/);
  t.equal((await stat(join(folders[0], '.env'))).mode & 0o777, 0o600);

  await t.rejects(makeEnv(folders[0]), /exists and stays unchanged/);
  t.match(
    await readFile(join(folders[0], '.env'), 'utf8'),
    one['POSTGRES_PASSWORD'] ?? '?',
    'the file stays unchanged',
  );
  t.match(await readText('.gitignore'), /^\.env$/m);
});

t.test('the service accepts the resulting configuration', async (t) => {
  const env = await makeEnv(await temporaryFolder(t));
  const service = interpolate(env).services['heartline'];
  const image = Object.fromEntries(
    (/^ENV (.+)$/m.exec(await readText('Dockerfile'))?.[1] ?? '')
      .split(' ')
      .map((pair) => pair.split('=', 2)),
  );
  const config = parseConfig({ ...image, ...service?.environment });
  t.equal(config.host, '0.0.0.0');
  t.equal(config.secretKey, env['HEARTLINE_SECRET_KEY']);
  t.equal(config.databaseUrl, `postgres://heartline:${env['POSTGRES_PASSWORD']}@postgres:5432/heartline`);
  t.equal(config.clickhouseUrl, `http://heartline:${env['CLICKHOUSE_PASSWORD']}@clickhouse:8123/heartline`);
  const ports = (service?.ports ?? []).map((port) => Number(port.split(':').at(-1)));
  t.strictSame(ports, [config.port, config.otlpGrpcPort]);
});

t.test('each service has limits and a health check, and restarts', async (t) => {
  for (const [name, service] of services) {
    t.equal(service.restart, 'unless-stopped', name);
    t.ok(['CMD', 'CMD-SHELL'].includes(service.healthcheck.test[0] ?? ''), name);
    t.match(service.deploy.resources.limits, { cpus: /^\d/, memory: /^\d+[mg]$/ }, name);
    t.match(service.image, /^[\w./-]+:v?\d+\.\d+(\.\d+)?$/, `${name}: its version is pinned`);
  }
});

t.test('services store data in named volumes, and mounted files exist', async (t) => {
  const used = new Set<string>();
  for (const volume of services.flatMap(([, { volumes = [] }]) => volumes)) {
    const [source = '', , mode] = volume.split(':');
    if (source.startsWith('./')) {
      await access(join(root, source));
      t.equal(mode, 'ro', volume);
    } else used.add(source);
  }
  t.strictSame([...used].sort(), Object.keys(compose.volumes).sort());
});

t.test('only the service and Grafana publish a port, on loopback only', async (t) => {
  const { services: started } = interpolate(await makeEnv(await temporaryFolder(t)));
  const published = Object.entries(started).filter(([, { ports }]) => ports !== undefined);
  t.strictSame(published.map(([name]) => name).sort(), ['grafana', 'heartline']);
  for (const [name, { ports = [] }] of published)
    for (const port of ports) t.match(port, /^127\.0\.0\.1:\d+:\d+$/, name);
});

t.test('the stores reach nothing, and only their users reach them', async (t) => {
  const on = (network: string) =>
    services.filter(([, { networks }]) => networks.includes(network)).map(([name]) => name);
  t.strictSame(on('analytics').sort(), ['clickhouse', 'grafana', 'heartline']);
  t.strictSame(on('control').sort(), ['heartline', 'postgres']);
  t.strictSame(on('mail').sort(), ['heartline', 'mail']);
  for (const name of ['analytics', 'control', 'mail']) t.equal(compose.networks[name]?.internal, true, name);
  for (const name of ['clickhouse', 'postgres', 'mail'])
    t.equal(compose.services[name]?.networks.length, 1, name);
});

t.test('translation and Grafana start only with their profiles', async (t) => {
  const profiles = services.flatMap(([name, { profiles }]) => (profiles ? [[name, profiles]] : []));
  t.strictSame(Object.fromEntries(profiles), { translate: ['translate'], grafana: ['grafana'] });
});
