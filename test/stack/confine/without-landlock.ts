import { DataType, load, open } from 'ffi-rs';
import { startClickHouse } from '../../../stack/clickhouse.js';
import { askClickHouse, recordingLog } from '../support.js';

/** O_PATH, and the system call that has it among its arguments. */
const openPath = 0o10000000;
const openat = process.arch === 'arm64' ? 56 : 257;

/**
 * A process for the test: lets the kernel refuse Landlock, or the naming of files for its rules, with an error number, as
 * in a container that filters system calls, under a security module or on an old kernel; starts ClickHouse, which
 * inherits the filter, and sends an answer and the log to the parent.
 */
const [dir = '', errorNumber, what] = process.argv.slice(2);
if (what === 'naming files') refuse(openat, Number(errorNumber), { argument: 2, bits: openPath });
else refuse(444, Number(errorNumber));
const log = recordingLog();
const options = { database: 'heartline', readerTables: [], secretKey: 'k'.repeat(32), log };
const server = await startClickHouse({ dir, ...options });
const answer = await askClickHouse(server.url, 'SELECT 1');
await server.stop();
process.send?.({ answer, lines: log.lines }, () => process.disconnect());

/**
 * Installs a filter of system calls, of those with certain bits in an argument when given: see
 * https://docs.kernel.org/userspace-api/seccomp_filter.html.
 */
function refuse(systemCall: number, error: number, when?: { argument: number; bits: number }): void {
  const [setNoNewPrivs, setSeccomp, filterMode] = [38, 22, 2];
  const [load32, jumpIfEqual, jumpIfSet, answer] = [0x20, 0x15, 0x45, 0x06];
  const [errorAnswer, allow] = [0x00050000, 0x7fff0000];
  const filter = Buffer.concat([
    instruction(load32, 0, 0, 0),
    instruction(jumpIfEqual, 0, when === undefined ? 1 : 3, systemCall),
    ...(when === undefined
      ? []
      : [instruction(load32, 0, 0, 16 + 8 * when.argument), instruction(jumpIfSet, 0, 1, when.bits)]),
    instruction(answer, 0, 0, errorAnswer | error),
    instruction(answer, 0, 0, allow),
  ]);
  const program = Buffer.alloc(16);
  program.writeUInt16LE(filter.length / 8, 0);
  program.writeBigUInt64LE(addressOf(filter), 8);
  prctl(setNoNewPrivs, 1, 0);
  prctl(setSeccomp, filterMode, program);
}

function instruction(code: number, ifTrue: number, ifFalse: number, value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt16LE(code, 0);
  bytes.writeUInt8(ifTrue, 2);
  bytes.writeUInt8(ifFalse, 3);
  bytes.writeUInt32LE(value, 4);
  return bytes;
}

function addressOf(buffer: Buffer): bigint {
  // memcpy returns the address of its target.
  const result = libc('memcpy', DataType.BigInt, [buffer, buffer, 0]);
  return BigInt(Number(result));
}

function prctl(option: number, value: number, argument: number | Buffer): void {
  const result = libc('prctl', DataType.I32, [option, value, argument, 0, 0]);
  if (result !== 0) throw new Error(`prctl(${option}) failed.`);
}

function libc(funcName: string, retType: DataType, paramsValue: (number | Buffer)[]): unknown {
  open({ library: 'libc', path: '' });
  const paramsType = paramsValue.map((value) =>
    typeof value === 'number' ? DataType.I64 : DataType.U8Array,
  );
  return load({ library: 'libc', funcName, retType, paramsType, paramsValue });
}
