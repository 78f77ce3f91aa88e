/** The parts of version 3 of the PostgreSQL protocol that the embedded server speaks itself. */

/** Codes in place of the version in the first message of a connection. */
export const protocolVersion3 = 196_608;
export const sslRequest = 80_877_103;
export const gssRequest = 80_877_104;
export const cancelRequest = 80_877_102;

/** Longest message of a client, in bytes. A longer one closes the connection before it fills the memory. */
export const messageBytesMax = 16 * 1024 * 1024;
const firstMessageBytesMax = 10_000;

const authenticationCleartext = 3;

/** A message of a client: the character of its type, and all of its bytes with the header. */
export type Message = { type: string; bytes: Buffer };

/** Parses the first message of a connection. Returns `undefined` while bytes are missing, and null for other bytes. */
export function parseFirstMessage(
  bytes: Buffer,
): { code: number; body: Buffer; length: number } | undefined | null {
  if (bytes.length < 4) return undefined;
  const length = bytes.readInt32BE(0);
  if (length < 8 || length > firstMessageBytesMax) return null;
  if (bytes.length < length) return undefined;
  return { code: bytes.readInt32BE(4), body: bytes.subarray(8, length), length };
}

/** Parses the first message in some bytes. Returns `undefined` while bytes are missing, and null for other bytes. */
export function parseMessage(bytes: Buffer): Message | undefined | null {
  if (bytes.length < 5) return undefined;
  const length = bytes.readInt32BE(1) + 1;
  if (length < 5 || length > messageBytesMax) return null;
  if (bytes.length < length) return undefined;
  return { type: String.fromCharCode(bytes.readUInt8(0)), bytes: bytes.subarray(0, length) };
}

/** Parses the pairs of names and values in the body of a startup message. */
export function parseStartup(body: Buffer): Map<string, string> {
  const texts = body.toString('utf8').split('\0');
  const parameters = new Map<string, string>();
  for (let i = 0; i + 1 < texts.length; i += 2) {
    const name = texts[i];
    if (name) parameters.set(name, texts[i + 1] ?? '');
  }
  return parameters;
}

/** Returns the text from an offset to the next zero byte. */
export function textAt(bytes: Buffer, offset: number): string {
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

/** An error that closes the connection. `code` is an SQLSTATE. */
export function fatalError(code: string, text: string): Buffer {
  return message('E', Buffer.from(`SFATAL\0VFATAL\0C${code}\0M${text}\0\0`));
}

export function queryMessage(sql: string): Buffer {
  return message('Q', Buffer.from(`${sql}\0`));
}

export function syncMessage(): Buffer {
  return message('S', Buffer.alloc(0));
}

/** Closes a prepared statement. Closing one that does not exist is not an error. */
export function closeStatementMessage(name: string): Buffer {
  return message('C', Buffer.from(`S${name}\0`));
}

function message(type: string, body: Buffer): Buffer {
  const header = Buffer.alloc(5);
  header.write(type, 0, 'latin1');
  header.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([header, body]);
}
