import type { Socket } from 'node:net';
import type { PGlite } from '@electric-sql/pglite';
import {
  closeStatementMessage,
  fatalError,
  type Message,
  messageBytesMax,
  parseMessage,
  queryMessage,
  startupMessage,
  syncMessage,
  textAt,
} from './postgres-wire.js';

/** Messages after which the engine answers ReadyForQuery: simple query, Sync, function call. */
const endsExchange = new Set(['Q', 'S', 'F']);

/** Time that a last message has to leave before its connection is closed. */
const lingerMs = 500;

type Engine = Pick<PGlite, 'runExclusive' | 'execProtocolRawStream' | 'isInTransaction'>;

/** The connection of one client. */
type Session = {
  socket: Socket;
  /** Bytes that have not gone to the engine yet. */
  received: Buffer;
  /** Complete messages of the next turn. */
  turn: Message[];
  turnBytes: number;
  /** Whether `turn` may go to the engine: it ends an exchange, or the client waits for its answer. */
  ready: boolean;
  /** Names of the statements that the client prepared in the engine, where all sessions share one set of names. */
  prepared: Set<string>;
  greeted: boolean;
  closed: boolean;
};

export type SharedEngineOptions = {
  /** Longest time for which a connection may let the engine wait within an exchange or a transaction. */
  idleMsMax: number;
  /** Called when the engine itself has failed and cannot be used any more. */
  onBroken(error: unknown): void;
};

/**
 * Lets many connections share the engine, which is a single PostgreSQL session.
 *
 * A connection has the engine for itself from the first message of an exchange until the answer to the last, and while
 * its transaction is open. The other connections wait in the order of their arrival. Without this, the unnamed
 * statements of clients would mix. A connection that closes in between is rolled back. A connection that lets the engine
 * wait too long is closed, because all others wait for it.
 */
export class SharedEngine {
  readonly #engine: Engine;
  readonly #options: SharedEngineOptions;
  readonly #sessions = new Set<Session>();
  readonly #waiting = new Set<Session>();
  readonly #ownStatements = new Set<string>();
  #owner: Session | undefined;
  #ownerTimer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;

  constructor(engine: Engine, options: SharedEngineOptions) {
    this.#engine = engine;
    this.#options = options;
  }

  /** Serves a client that has logged in. `rest` is what the client has sent already. */
  add(socket: Socket, rest: Buffer): void {
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
    this.#sessions.add(session);
    socket.on('data', (data: Buffer) => {
      session.received = Buffer.concat([session.received, data]);
      this.#takeTurn(session);
    });
    socket.once('close', () => {
      session.closed = true;
      this.#sessions.delete(session);
      this.#takeTurn(session);
    });
    this.#takeTurn(session);
  }

  /** Runs a statement of the server itself between the transactions of clients. Drops its errors. */
  run(sql: string): void {
    this.#ownStatements.add(sql);
    this.#pump();
  }

  /** Closes all connections. Resolves when the engine is idle. */
  async close(): Promise<void> {
    const closed = [...this.#sessions].map(({ socket }) => {
      end(socket, fatalError('57P01', 'terminating connection due to administrator command'));
      return untilClosed(socket);
    });
    await Promise.all(closed);
    while (this.#running !== undefined) await this.#running;
  }

  /** Collects the messages of the next turn of a connection, and queues the connection when they are complete. */
  #takeTurn(session: Session): void {
    const { socket, turn } = session;
    while (!session.ready && !session.closed) {
      const message = parseMessage(session.received);
      if (message === undefined) break;
      if (message === null || message.type === 'X' || session.turnBytes > messageBytesMax) {
        socket.destroy();
        return;
      }
      session.received = session.received.subarray(message.bytes.length);
      session.turnBytes += message.bytes.length;
      turn.push(message);
      session.ready = endsExchange.has(message.type) || message.type === 'H';
    }
    // While a turn waits, what arrives stays in the buffers of the kernel.
    if (session.ready) socket.pause();
    else socket.resume();
    if ((session.ready || session.closed) && this.#owner !== session) this.#waiting.add(session);
    this.#pump();
  }

  #pump(): void {
    if (this.#running !== undefined) return;
    const work = this.#nextWork();
    if (work === undefined) return;
    this.#running = work.catch(this.#options.onBroken).finally(() => {
      this.#running = undefined;
      this.#pump();
    });
  }

  #nextWork(): Promise<void> | undefined {
    const owner = this.#owner;
    if (owner !== undefined) return owner.ready || owner.closed ? this.#serve(owner) : undefined;
    const [sql] = this.#ownStatements;
    if (sql !== undefined) {
      this.#ownStatements.delete(sql);
      return this.#execute([queryMessage(sql)]);
    }
    const [session] = this.#waiting;
    if (session === undefined) return undefined;
    this.#waiting.delete(session);
    return this.#serve(session);
  }

  async #serve(session: Session): Promise<void> {
    clearTimeout(this.#ownerTimer);
    this.#ownerTimer = undefined;
    this.#owner = session;
    if (session.closed) {
      await this.#forget(session);
      this.#owner = undefined;
      return;
    }
    const { socket, turn, greeted } = session;
    session.turn = [];
    session.turnBytes = 0;
    session.ready = false;
    session.greeted = true;
    await this.#execute(
      turn.map(({ bytes }) => bytes),
      // The engine reuses the memory of its answer.
      (data) => socket.writable && socket.write(Buffer.from(data)),
    );
    noteStatements(session, turn);
    const ended = !greeted || endsExchange.has(turn[turn.length - 1]?.type ?? '');
    if (ended && !this.#engine.isInTransaction()) this.#owner = undefined;
    else this.#limitIdle(session);
    this.#takeTurn(session);
  }

  #limitIdle(session: Session): void {
    const timer = setTimeout(() => {
      // On a busy machine the next message may have arrived already; it is read before an immediate runs.
      setImmediate(() => {
        if (this.#ownerTimer === timer) this.#endIdle(session);
      });
    }, this.#options.idleMsMax);
    this.#ownerTimer = timer;
  }

  #endIdle(session: Session): void {
    end(session.socket, fatalError('25P03', 'terminating connection due to idle-in-transaction timeout'));
    session.closed = true;
    this.#pump();
  }

  /** Removes the traces of a closed connection from the engine: its failed exchange, transaction and statements. */
  async #forget(session: Session): Promise<void> {
    if (!session.greeted) return;
    session.greeted = false;
    await this.#execute([syncMessage()]);
    if (this.#engine.isInTransaction()) await this.#execute([queryMessage('ROLLBACK')]);
    const closes = [...session.prepared].map(closeStatementMessage);
    if (closes.length > 0) await this.#execute([...closes, syncMessage()]);
  }

  #execute(messages: readonly Buffer[], onRawData: (data: Uint8Array) => void = () => {}): Promise<void> {
    const bytes = Buffer.concat(messages);
    return this.#engine.runExclusive(() => this.#engine.execProtocolRawStream(bytes, { onRawData }));
  }
}

function noteStatements(session: Session, turn: readonly Message[]): void {
  for (const { type, bytes } of turn) {
    if (type === 'P') session.prepared.add(textAt(bytes, 5));
    else if (type === 'C' && bytes[5] === 'S'.charCodeAt(0)) session.prepared.delete(textAt(bytes, 6));
  }
  session.prepared.delete('');
}

/** Sends the reason and closes the connection. Does not wait for a client that does not read. */
function end(socket: Socket, reason: Buffer): void {
  socket.end(reason, () => socket.destroy());
  setTimeout(() => socket.destroy(), lingerMs);
}

function untilClosed(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    if (socket.closed) resolve();
    else socket.once('close', () => resolve());
  });
}
