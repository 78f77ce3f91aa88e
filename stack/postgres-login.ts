import { createHash, timingSafeEqual } from 'node:crypto';
import type { Socket } from 'node:net';
import {
  cancelRequest,
  fatalError,
  gssRequest,
  parseFirstMessage,
  parseMessage,
  parseStartup,
  passwordRequest,
  protocolVersion3,
  sslRequest,
  textAt,
} from './postgres-wire.js';

const loginTimeoutMs = 10_000;

export type Account = { user: string; password: string; database: string };

/**
 * Does the startup of a PostgreSQL connection: no TLS on loopback, a password in clear text. Calls `onLogin` with the
 * bytes that follow the startup when user, password and database are right; closes the connection otherwise.
 */
export function login(socket: Socket, account: Account, onLogin: (rest: Buffer) => void): void {
  let received: Buffer = Buffer.alloc(0);
  let claimed: Map<string, string> | undefined;
  const timer = setTimeout(() => socket.destroy(), loginTimeoutMs);
  const refuse = (code: string, text: string): void => {
    socket.off('data', onData);
    socket.end(fatalError(code, text));
  };
  const onData = (data: Buffer): void => {
    received = Buffer.concat([received, data]);
    while (claimed === undefined) {
      const first = parseFirstMessage(received);
      if (first === undefined) return;
      if (first === null || first.code === cancelRequest) return void socket.destroy();
      received = received.subarray(first.length);
      if (first.code === sslRequest || first.code === gssRequest) {
        socket.write('N');
      } else if (first.code === protocolVersion3) {
        claimed = parseStartup(first.body);
        socket.write(passwordRequest());
      } else {
        refuse('0A000', 'only version 3.0 of the protocol is supported');
        return;
      }
    }
    const answer = parseMessage(received);
    if (answer === undefined) return;
    if (answer?.type !== 'p') return void socket.destroy();
    clearTimeout(timer);
    const user = claimed.get('user') ?? '';
    const rightPassword = isSame(textAt(answer.bytes, 5), account.password);
    if (user !== account.user || !rightPassword) {
      refuse('28P01', `password authentication failed for user "${user.slice(0, 64)}"`);
      return;
    }
    const database = claimed.get('database') || user;
    if (database !== account.database) {
      refuse('3D000', `database "${database.slice(0, 64)}" does not exist; use "postgres"`);
      return;
    }
    socket.off('data', onData);
    onLogin(received.subarray(answer.bytes.length));
  };
  socket.on('data', onData);
  socket.once('close', () => clearTimeout(timer));
}

/** Compares hashes, so that the duration reveals neither length nor content. */
function isSame(given: string, expected: string): boolean {
  const hash = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(given), hash(expected));
}
