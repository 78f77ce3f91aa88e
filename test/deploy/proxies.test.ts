import { readFile } from 'node:fs/promises';
import t from 'tap';
import { limits } from '../../contract/limits.js';

const read = (path: string) => readFile(new URL(`../../../${path}`, import.meta.url), 'utf8');
/** Without comments. */
const settings = async (path: string) => (await read(path)).replaceAll(/^\s*#.*$/gm, '');
const nginx = await settings('deploy/proxy/nginx.conf');
const caddy = await settings('deploy/proxy/Caddyfile');

t.test('both proxies hide the addresses of operators, in any form', async (t) => {
  const forms = [
    ['nginx', /location ~\* (\S+) \{\s+return 404;/.exec(nginx)?.[1]],
    ['Caddy', /path_regexp \(\?i\)(\S+)\s+respond @internal 404/.exec(caddy)?.[1]],
  ] as const;
  for (const [name, form = ''] of forms) {
    const hidden = new RegExp(form, 'i');
    for (const path of ['/metrics', '/metrics/', '/METRICS', '/readyz', '/readyz//'])
      t.match(path, hidden, `${name}: ${path}`);
    for (const path of ['/', '/healthz', '/metrics-of-ours', '/api/v1/events'])
      t.notMatch(path, hidden, `${name}: ${path}`);
  }
});

t.test('both proxies overwrite the host that a client claims, and wait for slow clients', async (t) => {
  t.match(nginx, 'proxy_set_header X-Forwarded-Host $host;');
  t.match(nginx, 'proxy_set_header X-Forwarded-For $remote_addr;');
  t.match(caddy, 'header_up X-Forwarded-Host {host}');
  t.match(nginx, /client_body_timeout \d+s;/);
  t.match(caddy, /read_body \d+s/);
});

t.test('nginx limits the requests and the connections of each client', async (t) => {
  const zones = [...nginx.matchAll(/^limit_(?:req|conn)_zone \$binary_remote_addr zone=(\w+):/gm)];
  const used = [...nginx.matchAll(/^\s+limit_(?:req zone=|conn )(\w+)/gm)];
  const names = (matches: RegExpExecArray[]) => [...new Set(matches.map(([, name]) => name))].sort();
  t.equal(zones.length, 3);
  t.strictSame(names(zones), names(used), 'each zone is used');
  t.match(nginx, /limit_req_status 429;/);
  const served = [...nginx.matchAll(/location [^{]+\{[^}]*(?:proxy|grpc)_pass[^}]*\}/g)].map(
    ([text]) => text,
  );
  t.equal(served.length, 3);
  for (const location of served) t.match(location, /limit_req zone=/, 'nothing is passed on without a limit');
});

t.test('both proxies pass OpenTelemetry over gRPC on, and its largest body', (t) => {
  t.match(nginx, /listen 443 ssl http2;/);
  t.match(nginx, 'grpc_pass grpc://127.0.0.1:4317;');
  t.match(caddy, 'h2c://127.0.0.1:4317');
  const sizes = [/client_max_body_size (\d+)m;/.exec(nginx), /max_size (\d+)MiB/.exec(caddy)];
  for (const size of sizes) t.equal(Number(size?.[1]) * 1024 ** 2, limits.otlpBodyBytes);
  t.end();
});
