import type { Socket } from 'node:net';
import type { PGlite } from '@electric-sql/pglite';
import {
  closeStatementMessage,
  fatalError,
  type Message,
  messageBytesMax,
  queryMessage,
  readMessage,
  readText,
  startupMessage,
  syncMessage,
} from './postgres-wire.js';

/** Messages after which the engine answers ReadyForQuery: simple query, Sync, function call. */
const endsExchange = new Set(['Q', 'S', 'F']);

type Engine = Pick<PGlite, 'runExclusive' | 'execProtocolRawStream' | 'isInTransaction'>;

/** One client's connection. */
type Session = {
  socket: Socket;
  /** Bytes of messages that did not go to the engine yet. */
  received: Buffer;
  /** Messages of the next turn, which are complete. */
  turn: Message[];
  turnBytes: number;
  /** Whether `turn` may go to the engine: it ends an exchange, or the client waits for an answer to it. */
  ready: boolean;
  /** Names of statements it prepared in the engine, where all sessions' names live side by side. */
  prepared: Set<string>;
  greeted: boolean;
  closed: boolean;
};

export type Sessions = {
  /** Serves a client that has logged in; `rest` is what it has already sent. */
  add(socket: Socket, rest: Buffer): void;
  /** Runs statements of the server's own, between clients' transactions; false, at once, if one is open. */
  runIdle(sql: string): Promise<boolean>;
  /** Ends all connections; settles when the engine is idle. */
  close(): Promise<void>;
};

/**
 * Lets many connections share the engine, which is a single PostgreSQL session.
 *
 * A connection has the engine for itself from the first message of an exchange until the answer to its last, and
 * while its transaction is open; the others wait in the order of their arrival. Passing single messages on as they
 * come would mix one client's unnamed statement with another's. A connection that ends in between is rolled back,
 * and one that leaves the engine waiting longer than `idleMsMax` is ended, since all others wait for it.
 *
 * `onBroken` is called when the engine itself failed, after which it is not usable.
 */
export function shareEngine(
  engine: Engine,
  options: { idleMsMax: number; onBroken(error: unknown): void },
): Sessions {
  const sessions = new Set<Session>();
  const waiting: Session[] = [];
  let owner: Session | undefined;
  let ownerTimer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;

  const execute = (bytes: Uint8Array, onRawData: (data: Uint8Array) => void): Promise<void> =>
    engine.runExclusive(() => engine.execProtocolRawStream(bytes, { onRawData }));

  const pump = (): void => {
    if (running !== undefined) return;
    const session = nextSession();
    if (session === undefined) return;
    running = serve(session)
      .catch(options.onBroken)
      .finally(() => {
        running = undefined;
        pump();
      });
  };

  const nextSession = (): Session | undefined => {
    if (owner !== undefined) return owner.ready || owner.closed ? owner : undefined;
    return waiting.shift();
  };

  const serve = async (session: Session): Promise<void> => {
    clearTimeout(ownerTimer);
    owner = session;
    if (session.closed) {
      await forget(session);
      owner = undefined;
      return;
    }
    const { socket, turn } = session;
    session.turn = [];
    session.turnBytes = 0;
    session.ready = false;
    const ended = endsExchange.has(turn[turn.length - 1]?.type ?? '') || !session.greeted;
    session.greeted = true;
    await execute(Buffer.concat(turn.map((message) => message.bytes)), (data) => {
      // The engine reuses the memory of its answer.
      if (socket.writable) socket.write(Buffer.from(data));
    });
    noteStatements(session, turn);
    if (ended && !engine.isInTransaction()) owner = undefined;
    else ownerTimer = setTimeout(() => endIdle(session), options.idleMsMax);
    takeTurn(session);
  };

  const endIdle = (session: Session): void => {
    session.socket.end(fatalError('25P03', 'terminating connection due to idle-in-transaction timeout'));
    session.socket.destroySoon();
    session.closed = true;
    pump();
  };

  /** Leaves nothing of a connection that ended: no failed exchange, no transaction, no statement. */
  const forget = async (session: Session): Promise<void> => {
    if (!session.greeted) return;
    session.greeted = false;
    const drop = (): void => {};
    const closes = [...session.prepared].map(closeStatementMessage);
    await execute(syncMessage(), drop);
    if (engine.isInTransaction()) await execute(queryMessage('ROLLBACK'), drop);
    if (closes.length > 0) await execute(Buffer.concat([...closes, syncMessage()]), drop);
  };

  /** Gathers the messages of a connection's next turn, and puts it in the queue when they are complete. */
  const takeTurn = (session: Session): void => {
    while (!session.ready && !session.closed) {
      const message = readMessage(session.received);
      if (message === undefined) break;
      if (message === null || message.type === 'X') return void session.socket.destroy();
      session.received = session.received.subarray(message.bytes.length);
      session.turn.push(message);
      session.turnBytes += message.bytes.length;
      if (session.turnBytes > messageBytesMax) return void session.socket.destroy();
      session.ready = endsExchange.has(message.type) || message.type === 'H';
    }
    // What arrives while a turn waits stays in the kernel's buffers.
    if (session.ready) session.socket.pause();
    else session.socket.resume();
    if ((session.ready || session.closed) && owner !== session) enqueue(session);
    pump();
  };

  const enqueue = (session: Session): void => {
    if (!waiting.includes(session)) waiting.push(session);
  };

  const add = (socket: Socket, rest: Buffer): void => {
    const hello: Message = { type: '', bytes: startupMessage('postgres', 'postgres') };
    const session: Session = {
      socket,
      received: rest,
      turn: [hello],
      turnBytes: hello.bytes.length,
      ready: true,
      prepared: new Set(),
      greeted: false,
      closed: false,
    };
    sessions.add(session);
    enqueue(session);
    socket.on('data', (data: Buffer) => {
      session.received = Buffer.concat([session.received, data]);
      takeTurn(session);
    });
    socket.once('close', () => {
      session.closed = true;
      sessions.delete(session);
      takeTurn(session);
    });
    pump();
  };

  const idle = async (): Promise<void> => {
    while (running !== undefined) await running;
  };

  return {
    add,
    async runIdle(sql) {
      if (owner !== undefined || running !== undefined) return false;
      running = execute(queryMessage(sql), () => {})
        .catch(options.onBroken)
        .finally(() => {
          running = undefined;
          pump();
        });
      await running;
      return true;
    },
    async close() {
      for (const { socket } of sessions) {
        socket.end(fatalError('57P01', 'terminating connection due to administrator command'));
        socket.destroySoon();
      }
      await Promise.all([...sessions].map(({ socket }) => untilClosed(socket)));
      await idle();
    },
  };
}

function noteStatements(session: Session, turn: readonly Message[]): void {
  for (const { type, bytes } of turn) {
    if (type === 'P') session.prepared.add(readText(bytes, 5));
    else if (type === 'C' && bytes[5] === 'S'.charCodeAt(0)) session.prepared.delete(readText(bytes, 6));
  }
  session.prepared.delete('');
}

function untilClosed(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    if (socket.closed) resolve();
    else socket.once('close', () => resolve());
  });
}
