/** The few parts of PostgreSQL's protocol, version 3, that the embedded server has to speak itself. */

/** Protocol codes that stand where a version stands in a first message. */
export const protocolVersion3 = 196_608;
export const sslRequest = 80_877_103;
export const gssRequest = 80_877_104;
export const cancelRequest = 80_877_102;

/** Longest message taken from a client. Longer ones end the connection before they fill the memory. */
export const messageBytesMax = 16 * 1024 * 1024;
const firstMessageBytesMax = 10_000;

const authenticationCleartext = 3;

/** A message from the client: its type's character, and all of its bytes, header included. */
export type Message = { type: string; bytes: Buffer };

/** Code and body of a connection's first message; undefined while bytes are missing, null if it is none. */
export function readFirstMessage(
  bytes: Buffer,
): { code: number; body: Buffer; length: number } | undefined | null {
  if (bytes.length < 4) return undefined;
  const length = bytes.readInt32BE(0);
  if (length < 8 || length > firstMessageBytesMax) return null;
  if (bytes.length < length) return undefined;
  return { code: bytes.readInt32BE(4), body: bytes.subarray(8, length), length };
}

/** The first message in these bytes; undefined while some are missing, null if they cannot be a message. */
export function readMessage(bytes: Buffer): Message | undefined | null {
  if (bytes.length < 5) return undefined;
  const length = bytes.readInt32BE(1) + 1;
  if (length < 5 || length > messageBytesMax) return null;
  if (bytes.length < length) return undefined;
  return { type: String.fromCharCode(bytes.readUInt8(0)), bytes: bytes.subarray(0, length) };
}

/** Name and value pairs of a startup message's body. */
export function readParameters(body: Buffer): Map<string, string> {
  const texts = body.toString('utf8').split('\0');
  const parameters = new Map<string, string>();
  for (let i = 0; i + 1 < texts.length; i += 2) {
    const name = texts[i];
    if (name) parameters.set(name, texts[i + 1] ?? '');
  }
  return parameters;
}

/** The text up to the first zero byte, from an offset. */
export function readText(bytes: Buffer, offset: number): string {
  const end = bytes.indexOf(0, offset);
  return bytes.toString('utf8', offset, end === -1 ? bytes.length : end);
}

export function startupMessage(user: string, database: string): Buffer {
  const body = Buffer.from(`user\0${user}\0database\0${database}\0client_encoding\0UTF8\0\0`);
  const header = Buffer.alloc(8);
  header.writeInt32BE(body.length + 8, 0);
  header.writeInt32BE(protocolVersion3, 4);
  return Buffer.concat([header, body]);
}

export function passwordRequest(): Buffer {
  const body = Buffer.alloc(4);
  body.writeInt32BE(authenticationCleartext);
  return message('R', body);
}

/** An error that ends the connection; the code is PostgreSQL's SQLSTATE. */
export function fatalError(code: string, text: string): Buffer {
  return message('E', Buffer.from(`SFATAL\0VFATAL\0C${code}\0M${text}\0\0`));
}

export function queryMessage(sql: string): Buffer {
  return message('Q', Buffer.from(`${sql}\0`));
}

export function syncMessage(): Buffer {
  return message('S', Buffer.alloc(0));
}

/** Forgets a prepared statement; no error if there is none. */
export function closeStatementMessage(name: string): Buffer {
  return message('C', Buffer.from(`S${name}\0`));
}

function message(type: string, body: Buffer): Buffer {
  const header = Buffer.alloc(5);
  header.write(type, 0, 'latin1');
  header.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([header, body]);
}
