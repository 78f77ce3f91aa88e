import { type ChildProcess, fork } from 'node:child_process';
import { withTimeout } from '../lib/timeout.js';
import { StackError } from './errors.js';

/** Messages between the launcher and the process of a store. `Start` has the options of the store. */
export type ToChild<Start> = { type: 'start'; dir: string; start: Start } | { type: 'stop' };

export type FromChild =
  | { type: 'ready'; port: number; unconfinedBecause?: string | undefined }
  | { type: 'failed'; text: string };

/** Whether a value from the channel has the `type` of a message. */
export function hasType(value: unknown): value is { type: unknown } {
  return typeof value === 'object' && value !== null && 'type' in value;
}

/** The first start of PostgreSQL takes 3 s on an idle machine, and several times as long on a busy one. */
const readyTimeoutMs = 90_000;
const stopTimeoutMs = 10_000;
const stderrCharactersMax = 4_096;
const stderrLinesShown = 5;

/**
 * The whole environment of a store. That of the service holds its secrets, and a store could read it as a file. The
 * stores work in UTC wherever the machine is, and find `ps`, which identifies processes on macOS, by the path.
 */
const environment = { PATH: '/usr/bin:/bin', TZ: 'UTC' };

export type ChildSpec<Start> = {
  /** 'ClickHouse' or 'PostgreSQL', for messages. */
  name: string;
  entry: URL;
  /** Folder of the store. */
  dir: string;
  start: Start;
  /** Options of Node.js for the process. */
  execArgv?: readonly string[];
  /** An abort ends the launch at once, by SIGKILL. */
  signal: AbortSignal;
};

/** The process of a store that has answered. */
export type Child = {
  pid: number;
  /** TCP port of 127.0.0.1 on which the store listens. */
  port: number;
  /** Why the store is not confined; `undefined` when it is, and for PostgreSQL, which has nothing to confine. */
  unconfinedBecause: string | undefined;
  /** Resolves with the exit code or the signal when the process has ended. */
  exited: Promise<string>;
  /** Asks for a clean end and waits for it. Kills the process after 10 s. */
  stop(): Promise<void>;
  /** Ends the process at once, by SIGKILL. */
  kill(): void;
};

/**
 * Starts the process of a store and waits until the store answers.
 *
 * The process leads a process group of its own, so that Ctrl-C on the terminal reaches the service alone, which answers
 * the requests that it accepted before it stops the stores. The process ends when the channel to this process closes.
 * Secrets go over the channel, because other users can read arguments and environment.
 *
 * @throws StackError when the process fails or ends before the store answers.
 */
export async function launchChild<Start>(spec: ChildSpec<Start>): Promise<Child> {
  const child = fork(spec.entry, [], {
    detached: true,
    env: { ...environment },
    execArgv: [...(spec.execArgv ?? [])],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  const stderr = keepTail(child);
  const exited = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    // 'close' comes after the end of stderr; 'exit' may come before it.
    child.once('close', (code, signal) => resolve(signal === null ? `exit code ${code}` : signal));
  });
  const kill = (): boolean => child.kill('SIGKILL');
  spec.signal.addEventListener('abort', kill);
  send(child, { type: 'start', dir: spec.dir, start: spec.start });
  try {
    const { port, unconfinedBecause } = await untilReady(spec.name, child, exited, stderr);
    return {
      pid: child.pid ?? 0,
      port,
      unconfinedBecause,
      exited,
      stop: () => stop(child, exited),
      kill: () => void kill(),
    };
  } catch (error) {
    kill();
    await exited;
    throw error;
  } finally {
    spec.signal.removeEventListener('abort', kill);
  }
}

type Ready = Extract<FromChild, { type: 'ready' }>;

function untilReady(
  name: string,
  child: ChildProcess,
  exited: Promise<string>,
  stderr: () => string,
): Promise<Ready> {
  const error = () =>
    new StackError(`${name} did not answer within ${readyTimeoutMs / 1000} s of its start.`);
  const ready = new Promise<Ready>((resolve, reject) => {
    child.on('message', (message) => {
      if (!isFromChild(message)) return;
      if (message.type === 'ready') resolve(message);
      else reject(new StackError(message.text));
    });
    exited.then((how) => {
      const said = stderr();
      reject(
        new StackError(
          `${name} ended before it answered (${how})${said === '' ? '.' : `; its last output: ${said}`}`,
        ),
      );
    });
  });
  return withTimeout(ready, readyTimeoutMs, { error });
}

async function stop(child: ChildProcess, exited: Promise<string>): Promise<void> {
  const timer = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs);
  send(child, { type: 'stop' });
  await exited;
  clearTimeout(timer);
}

function send<Start>(child: ChildProcess, message: ToChild<Start>): void {
  // A process that has exited cannot take a message; `exited` resolves then.
  if (child.connected) child.send(message, () => {});
}

function keepTail(child: ChildProcess): () => string {
  let tail = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    tail = (tail + text).slice(-stderrCharactersMax);
  });
  return () => tail.trim().split('\n').slice(-stderrLinesShown).join('\n');
}

function isFromChild(message: unknown): message is FromChild {
  if (!hasType(message)) return false;
  if (message.type === 'ready') return 'port' in message && typeof message.port === 'number';
  return message.type === 'failed' && 'text' in message && typeof message.text === 'string';
}
