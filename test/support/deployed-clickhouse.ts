import { fork } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Test } from 'tap';
import { findPorts } from '../../stack/ports.js';
import { temporaryFolder } from './temporary-folder.js';
import { waitUntil } from './wait-until.js';

export type DeployedClickHouse = {
  /** Returns the URL of the database heartline for a user of deploy/clickhouse/users.d. */
  urlOf(user: 'heartline' | 'grafana'): string;
};

const deployed = fileURLToPath(new URL('../../../deploy/clickhouse/', import.meta.url));
const passwords = { heartline: 'of-the-service', grafana: 'of-grafana' };

/** The settings of the image that matter here. */
const imageConfig = (usersFile: string) => `<clickhouse>
  <users_config>${usersFile}</users_config>
  <user_directories><users_xml><path>${usersFile}</path></users_xml></user_directories>
  <access_control_improvements>
    <users_without_row_policies_can_read_rows>true</users_without_row_policies_can_read_rows>
    <select_from_system_db_requires_grant>true</select_from_system_db_requires_grant>
    <settings_constraints_replace_previous>true</settings_constraints_replace_previous>
    <table_engines_require_grant>true</table_engines_require_grant>
  </access_control_improvements>
</clickhouse>`;
const imageUsers =
  '<clickhouse><profiles><default/></profiles><quotas><default/></quotas><users><default><password/></default></users></clickhouse>';

/** The embedded engine needs its user `default` to listen; the deployed files remove that user. */
const launcherUser = `<clickhouse><users><default>
  <password/><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota>
  <grants><query>GRANT SYSTEM LISTEN ON *.*</query><query>GRANT SELECT ON system.numbers</query></grants>
</default></users></clickhouse>`;

/**
 * Starts the embedded engine with the configuration files that docker-compose.yml gives to ClickHouse, merged by the
 * engine itself, and stops it when the test ends. Unlike a server, it does not store users that SQL creates.
 */
export async function startDeployedClickHouse(t: Test): Promise<DeployedClickHouse> {
  const dir = await temporaryFolder(t);
  await mkdir(join(dir, 'data'));
  for (const part of ['config.d', 'users.d']) {
    await cp(join(deployed, part), join(dir, part), { recursive: true });
  }
  await writeFile(join(dir, 'config.xml'), imageConfig(join(dir, 'users.xml')));
  await writeFile(join(dir, 'users.xml'), imageUsers);
  await writeFile(join(dir, 'users.d/zz-launcher.xml'), launcherUser);
  const [httpPort = 0, tcpPort = 0] = await findPorts([0, 0]);
  const child = fork(
    fileURLToPath(new URL('./clickhouse-process.js', import.meta.url)),
    [join(dir, 'data'), join(dir, 'config.xml'), String(httpPort), String(tcpPort)],
    {
      env: {
        ...process.env,
        CLICKHOUSE_PASSWORD: passwords.heartline,
        GRAFANA_CLICKHOUSE_PASSWORD: passwords.grafana,
      },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    },
  );
  t.teardown(async () => {
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  });
  await waitUntil('ClickHouse answers', async () => {
    if (child.exitCode !== null) throw new Error('The ClickHouse process has exited.');
    return fetch(`http://127.0.0.1:${httpPort}/ping`).then(
      (answer) => answer.ok,
      () => false,
    );
  });
  return { urlOf: (user) => `http://${user}:${passwords[user]}@127.0.0.1:${httpPort}/heartline` };
}
