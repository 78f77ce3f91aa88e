import { rm } from 'node:fs/promises';
import { type RequestOptions, request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type ServerUsers, serverConfig, serverUsers, serviceUserName } from './clickhouse-config.js';
import { dropDanglingTokens } from './drop-dangling-tokens.js';
import { StackError } from './errors.js';
import { makePrivateFolder, writePrivateFile } from './files.js';
import { type OpenStore, serveParent } from './serve-parent.js';

/** Entry of the process that is the embedded ClickHouse: the engine's library, told to listen. */
export type ClickHouseStart = { httpPort: number; tcpPort: number; users: ServerUsers };

const pollMs = 50;
const requestTimeoutMs = 5_000;
const answerCharactersMax = 2_000;
/** Keeps the engine running; it stops when this query is killed. */
const sleepingQuery =
  'SELECT ignore(sleep(0.2)) FROM system.numbers SETTINGS max_block_size=1, log_queries=0 FORMAT Null';

serveParent<ClickHouseStart>(async (dir, start) => {
  await makePrivateFolder(join(dir, 'data'));
  // The engine forgets its system database when it ends, then refuses the folders which that left behind.
  await rm(join(dir, 'data/data/system'), { recursive: true, force: true });
  await dropDanglingTokens(join(dir, 'data/store'));
  await writePrivateFile(join(dir, 'users.xml'), serverUsers(start.users));
  await writePrivateFile(join(dir, 'config.xml'), serverConfig(join(dir, 'users.xml')));
  const runEngine = await loadEngine();
  const ended = runEngine(engineArguments(dir, start));
  await untilAnswering(start, ended);
  return openStore(start, ended);
});

function engineArguments(dir: string, start: ClickHouseStart): string[] {
  return [
    'clickhouse',
    '--multiquery',
    '--path',
    join(dir, 'data'),
    '--http_port',
    String(start.httpPort),
    '--tcp_port',
    String(start.tcpPort),
    '--listen_host',
    '127.0.0.1',
    `--config-file=${join(dir, 'config.xml')}`,
    // Without a console the engine ignores the level and writes every trace line to its log.
    '--log-level=fatal',
    '--logger.console=1',
    '--query',
    `SYSTEM START LISTEN TCP; SYSTEM START LISTEN HTTP; ${sleepingQuery}`,
  ];
}

/** The engine's main function; it answers, when the engine ends, with what went wrong or ''. */
type Engine = (args: string[]) => Promise<string>;

/** The call blocks a thread of its own, so that this one stays free for the channel. */
async function loadEngine(): Promise<Engine> {
  const library = 'chdb';
  try {
    const { DataType, isNullPointer, load, open } = await import('ffi-rs');
    const { libchdbPath } = await import('chdb/libchdb');
    open({ library, path: libchdbPath() });
    return async (args) => {
      const result = await load({
        library,
        funcName: 'chdb_query_cmdline',
        retType: DataType.External,
        paramsType: [DataType.I32, DataType.StringArray],
        paramsValue: [args.length, args],
        runInNewThread: true,
      });
      const errorOf = { library, funcName: 'chdb_result_error', paramsType: [DataType.External] };
      const paramsValue = [result];
      // Reading a null pointer as a string would end the process by a signal.
      if (isNullPointer(load({ ...errorOf, retType: DataType.External, paramsValue }))) return '';
      return load({ ...errorOf, retType: DataType.String, paramsValue });
    };
  } catch (error) {
    throw new StackError(
      'The embedded ClickHouse is not installed; run npm ci with optional dependencies (on Linux with glibc or macOS, x64 or arm64), or set CLICKHOUSE_URL.',
      { cause: error },
    );
  }
}

async function untilAnswering(start: ClickHouseStart, ended: Promise<string>): Promise<void> {
  const ending = ended.then((error) => {
    throw new StackError(`ClickHouse did not start: ${firstLine(error)}`);
  });
  const answering = async (): Promise<void> => {
    for (;;) {
      try {
        await query(start, `CREATE DATABASE IF NOT EXISTS ${start.users.database}`);
        return;
      } catch (error) {
        if (error instanceof StackError) throw error;
        // It does not listen yet. The launcher gives up, and ends this process, if it never does.
        await delay(pollMs);
      }
    }
  };
  await Promise.race([ending, answering()]);
}

function openStore(start: ClickHouseStart, ended: Promise<string>): OpenStore {
  let closing = false;
  ended.then((error) => {
    if (closing) return;
    process.stderr.write(`${firstLine(error)}\n`);
    process.exit(1);
  });
  return {
    port: start.httpPort,
    async close() {
      closing = true;
      await query(
        start,
        "KILL QUERY WHERE user = '' AND startsWith(query, 'SELECT ignore(sleep(0.2))') ASYNC",
      );
      await ended;
    },
  };
}

/** An exception of the engine without its stack trace. */
function firstLine(error: string): string {
  return error.split(/, Stack trace|\n/, 1)[0] ?? '';
}

/** One connection each: the server waits 5 s for a connection that is kept alive before it ends. */
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
        if (response.statusCode === 200) resolve();
        else reject(new StackError(`ClickHouse runs, but not as it should: ${firstLine(answer)}`));
      });
    });
    sent.once('error', reject).end(text);
  });
}
