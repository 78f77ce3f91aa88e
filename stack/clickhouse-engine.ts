import { StackError } from './errors.js';

export type EngineStart = {
  dataDir: string;
  /** Its users must let `default` run SYSTEM LISTEN and read system.numbers without a password. */
  configFile: string;
  httpPort: number;
  tcpPort: number;
};

/** How the query begins that keeps the engine running; the engine stops when that query is killed. */
export const sleepingQueryStart = 'SELECT ignore(sleep(0.2))';

const sleepingQuery = `${sleepingQueryStart} FROM system.numbers SETTINGS max_block_size=1, log_queries=0 FORMAT Null`;

/** What is said of an engine that ends by itself and answers ''. */
export const noReason = 'its engine ended without a reason.';

/** The command line with which the engine listens on 127.0.0.1. */
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

/** The engine's main function; it answers, when the engine ends, with what went wrong or ''. */
export type Engine = (args: string[]) => Promise<string>;

/**
 * Loads the engine's library. A call of the engine blocks a thread of its own, so that this one stays free.
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
