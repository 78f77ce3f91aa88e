import { rm } from 'node:fs/promises';
import { type RequestOptions, request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type Cluster,
  frozenFolder,
  type ServerUsers,
  serverConfig,
  serverUsers,
  serviceUserName,
} from './clickhouse-config.js';
import {
  engineArguments,
  foreignAnswer,
  noReason,
  refusedQuery,
  sleepingQueryStart,
  startEngine,
} from './clickhouse-engine.js';
import { engineView } from './confine/engine-view.js';
import { dropDanglingTokens } from './drop-dangling-tokens.js';
import { StackError } from './errors.js';
import { makePrivateFolder, writePrivateFile } from './files.js';
import { type OpenStore, serveParent } from './serve-parent.js';

/** Entry of the process of the embedded ClickHouse: the library of the engine, made to listen. */
export type ClickHouseStart = {
  httpPort: number;
  tcpPort: number;
  users: ServerUsers;
  memoryBytes?: number | undefined;
  syncsInserts?: boolean | undefined;
  cluster?: Cluster;
};

const pollMs = 50;
const requestTimeoutMs = 5_000;
const answerCharactersMax = 2_000;

serveParent<ClickHouseStart>(async (dir, start) => {
  const dataDir = join(dir, 'data');
  await makePrivateFolder(dataDir);
  // The engine forgets its system database when it ends, and then refuses the folders that are left of it.
  await rm(join(dataDir, 'data/system'), { recursive: true, force: true });
  await dropDanglingTokens(join(dataDir, 'store'));
  // A backup that was killed leaves links, which keep the space of files that the engine has deleted.
  await rm(join(dataDir, frozenFolder), { recursive: true, force: true });
  const usersFile = join(dir, 'users.xml');
  const configFile = join(dir, 'config.xml');
  const { cluster, memoryBytes, syncsInserts } = start;
  await writePrivateFile(usersFile, serverUsers(start.users, cluster !== undefined));
  await writePrivateFile(configFile, serverConfig({ usersFile, memoryBytes, syncsInserts, cluster }));
  const { httpPort, tcpPort } = start;
  const { unconfinedBecause, ended } = await startEngine(
    engineArguments({ dataDir, configFile, httpPort, tcpPort }),
    engineView(
      { dataDir, configFiles: [configFile, usersFile] },
      {
        listenPorts: [httpPort, tcpPort],
        connectPorts: cluster?.shards.map((shard) => shard.tcpPort) ?? [],
      },
    ),
  );
  await untilAnswering(start, ended);
  return openStore(start, ended, unconfinedBecause);
});

async function untilAnswering(start: ClickHouseStart, ended: Promise<string>): Promise<void> {
  const ending = ended.then((error) => {
    throw new StackError(`ClickHouse did not start: ${firstLine(error) || noReason}`);
  });
  const answering = async (): Promise<void> => {
    for (;;) {
      try {
        await query(start, `CREATE DATABASE IF NOT EXISTS ${start.users.database}`);
        return;
      } catch (error) {
        if (error instanceof StackError) throw error;
        // The engine does not listen yet. The launcher ends this process when it takes too long.
        await delay(pollMs);
      }
    }
  };
  await Promise.race([ending, answering()]);
}

function openStore(
  start: ClickHouseStart,
  ended: Promise<string>,
  unconfinedBecause: string | undefined,
): OpenStore {
  let closing = false;
  ended.then((error) => {
    if (closing) return;
    process.stderr.write(`${firstLine(error)}\n`);
    process.exit(1);
  });
  return {
    port: start.httpPort,
    unconfinedBecause,
    async close() {
      closing = true;
      await query(start, `KILL QUERY WHERE user = '' AND startsWith(query, '${sleepingQueryStart}') ASYNC`);
      await ended;
    },
  };
}

/** Returns an exception of the engine without its stack trace. */
function firstLine(error: string): string {
  return error.split(/, Stack trace|\n/, 1)[0] ?? '';
}

/** Takes a connection of its own: the server waits 5 s for a connection that is kept alive before it ends. */
function query(start: ClickHouseStart, text: string): Promise<void> {
  const options: RequestOptions = {
    host: '127.0.0.1',
    port: start.httpPort,
    method: 'POST',
    agent: false,
    headers: { 'X-ClickHouse-User': serviceUserName, 'X-ClickHouse-Key': start.users.servicePassword },
    signal: AbortSignal.timeout(requestTimeoutMs),
  };
  return new Promise((resolve, reject) => {
    const sent = request(options, (response) => {
      let answer = '';
      response.setEncoding('utf8').on('data', (text: string) => {
        answer = (answer + text).slice(0, answerCharactersMax);
      });
      response.once('error', reject).once('end', () => {
        const { 'x-clickhouse-query-id': id, 'x-clickhouse-exception-code': code } = response.headers;
        if (response.statusCode === 200 && id !== undefined) resolve();
        else if (id === undefined && code === undefined)
          reject(new StackError(foreignAnswer(start.httpPort)));
        else reject(new StackError(`${refusedQuery} ${firstLine(answer)}`));
      });
    });
    sent.once('error', reject).end(text);
  });
}
