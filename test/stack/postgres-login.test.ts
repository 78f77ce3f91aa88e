import { createConnection, type Socket } from 'node:net';
import { join } from 'node:path';
import postgres from 'postgres';
import t from 'tap';
import { startPostgres } from '../../stack/postgres.js';
import { postgresTemplate } from '../support/store-template.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { asUser, recordingLog } from './support.js';

const server = await startPostgres({
  dir: join(await temporaryFolder(t), 'postgres'),
  templateDir: await postgresTemplate('empty'),
  log: recordingLog(),
});
t.teardown(() => server.stop());
const { password } = new URL(server.url);

async function tryLogin(url: string): Promise<unknown> {
  const sql = postgres(url, { max: 1 });
  try {
    return (await sql`select 1 as one`)[0];
  } finally {
    await sql.end({ timeout: 0 });
  }
}

t.test('the right user, password and database are accepted', async (t) => {
  t.strictSame(await tryLogin(server.url), { one: 1 });
});

t.test('anything else is refused', async (t) => {
  const refused = { code: '28P01', severity: 'FATAL' };
  await t.rejects(tryLogin(asUser(server.url, 'heartline', 'wrong')), refused);
  await t.rejects(tryLogin(asUser(server.url, 'heartline', '')), refused);
  await t.rejects(tryLogin(asUser(server.url, 'heartline', `${password}x`)), refused);
  await t.rejects(tryLogin(asUser(server.url, 'postgres', password)), refused);
  await t.rejects(tryLogin(server.url.replace(/postgres$/, 'other')), { code: '3D000' });
});

t.test('a statement before the password is not executed', async (t) => {
  const socket = connect();
  socket.write(startup());
  socket.write(Buffer.concat([Buffer.from('Q'), length(13), Buffer.from('select 1\0')]));
  t.equal((await untilClosed(socket)).toString('latin1', 0, 1), 'R', 'only the request for a password');
});

t.test('TLS is declined, and the login continues', async (t) => {
  const socket = connect();
  socket.write(Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]));
  socket.write(startup());
  socket.write(Buffer.concat([Buffer.from('p'), length(password.length + 5), Buffer.from(`${password}\0`)]));
  socket.write(Buffer.concat([Buffer.from('X'), length(4)]));
  const answer = (await untilClosed(socket)).toString('latin1');
  t.match(answer, /^NR/);
  t.match(answer, /server_version/);
});

t.test('other bytes than a startup message close the connection', async (t) => {
  for (const bytes of ['GET / HTTP/1.1\r\n\r\n', '\0\0\0\0\0\0\0\0', '\x7f\xff\xff\xff\0\x03\0\0']) {
    const socket = connect();
    socket.write(Buffer.from(bytes, 'latin1'));
    t.equal((await untilClosed(socket)).length, 0);
  }
});

function connect(): Socket {
  return createConnection(Number(new URL(server.url).port), '127.0.0.1');
}

function startup(): Buffer {
  const body = Buffer.from('\0\x03\0\0user\0heartline\0database\0postgres\0\0', 'latin1');
  return Buffer.concat([length(body.length + 4), body]);
}

function length(bytes: number): Buffer {
  const field = Buffer.alloc(4);
  field.writeInt32BE(bytes);
  return field;
}

async function untilClosed(socket: Socket): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of socket) parts.push(part);
  return Buffer.concat(parts);
}
