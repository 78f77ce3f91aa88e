import { StackError } from './errors.js';

export type EngineStart = {
  dataDir: string;
  /** The users in this file must let `default` run SYSTEM LISTEN and read system.numbers without a password. */
  configFile: string;
  httpPort: number;
  tcpPort: number;
};

/** Start of the query that keeps the engine running. The engine stops when that query is killed. */
export const sleepingQueryStart = 'SELECT ignore(sleep(0.2))';

const sleepingQuery = `${sleepingQueryStart} FROM system.numbers SETTINGS max_block_size=1, log_queries=0 FORMAT Null`;

/** End of the message about an engine that ended by itself and returned ''. */
export const noReason = 'its engine ended without a reason.';

/** Returns the command line that makes the engine listen on 127.0.0.1. */
export function engineArguments({ dataDir, configFile, httpPort, tcpPort }: EngineStart): string[] {
  return [
    'clickhouse',
    '--multiquery',
    '--path',
    dataDir,
    '--http_port',
    String(httpPort),
    '--tcp_port',
    String(tcpPort),
    '--listen_host',
    '127.0.0.1',
    `--config-file=${configFile}`,
    // Without a console the engine ignores the level and writes every trace line to its log.
    '--log-level=fatal',
    '--logger.console=1',
    '--query',
    `SYSTEM START LISTEN TCP; SYSTEM START LISTEN HTTP; ${sleepingQuery}`,
  ];
}

const platforms = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64'];

/** @throws StackError on a platform for which the embedded ClickHouse is not built. */
export function assertEmbeddable(platform: string, architecture: string): void {
  if (platforms.includes(`${platform}-${architecture}`)) return;
  throw new StackError(
    `The embedded ClickHouse does not run on ${platform} ${architecture}, only on Linux and macOS, x64 and arm64; set CLICKHOUSE_URL to use a server.`,
  );
}

/** The main function of the engine. It resolves when the engine ends, with the error or ''. */
export type Engine = (args: string[]) => Promise<string>;

/**
 * Loads the library of the engine. A call of the engine blocks a thread of its own, and this thread stays free.
 *
 * @throws StackError when the optional dependencies are not installed.
 */
export async function loadEngine(): Promise<Engine> {
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
      // A null pointer that is read as a string ends the process by a signal.
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
