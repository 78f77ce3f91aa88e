import { fstatSync, openSync } from 'node:fs';
import { constants } from 'node:os';
import { errorCode } from '../errors.js';

/**
 * Landlock of Linux, through `syscall` of libc: neither Node.js nor libc has functions for it. Numbers and layouts are
 * defined in include/uapi/linux/landlock.h, the same on x64 and arm64. https://docs.kernel.org/userspace-api/landlock.html
 * describes what they do.
 */
const calls = { createRuleset: 444, addRule: 445, restrictSelf: 446 };
const askVersion = 1;
const rules = { path: 1, port: 2 };
const prSetNoNewPrivs = 38;
/** O_PATH, which names a file without opening it. */
const openPath = 0o10000000;

/** The rights that a view can give. Others, such as running a program, exist as well and are denied. */
const rights = {
  writeFile: 1n << 1n,
  readFile: 1n << 2n,
  readFolder: 1n << 3n,
  removeFolder: 1n << 4n,
  removeFile: 1n << 5n,
  makeFolder: 1n << 7n,
  makeFile: 1n << 8n,
  makeSymbolicLink: 1n << 12n,
  linkBetweenFolders: 1n << 13n,
  truncate: 1n << 14n,
};
const listen = 1n << 0n;
const connect = 1n << 1n;
/** Connections to abstract UNIX sockets, and signals, of processes outside. */
const scopes = (1n << 0n) | (1n << 1n);

/** Version 1 permits no link between two folders, which the engine makes. */
const versionMin = 2;

/** The files that a confined thread can reach. A symbolic link stands for its target. */
export type ThreadView = {
  /** Folders in which it reads, writes, creates and deletes. */
  writable: readonly string[];
  /** Files, and folders with all that is in them, that it reads. Those that do not exist are skipped. */
  readable: readonly string[];
  /** TCP ports on which it listens, and to which it connects. */
  listenPorts: readonly number[];
  connectPorts: readonly number[];
};

/**
 * Confines the calling thread, and every thread and process that it starts from now on, to a view of files and TCP
 * ports. Threads that run already are not confined. Needs no privileges, and cannot be undone. Kernels before Linux 6.7
 * do not confine ports, and those before 6.12 neither signals nor abstract UNIX sockets.
 *
 * @returns why the thread is not confined; `undefined` when it is.
 */
export async function confineThread(view: ThreadView): Promise<string | undefined> {
  if (process.platform !== 'linux') return 'only Linux has Landlock';
  try {
    return await applyView(view);
  } catch (error) {
    // The view applies with the last call, as a whole. A thread that gets here is not confined, and runs as it would
    // without Landlock.
    return `it cannot be confined: ${error instanceof Error ? error.message : String(error)}`;
  }
}

async function applyView(view: ThreadView): Promise<string | undefined> {
  const libc = await openLibc();
  const version = libc('syscall', calls.createRuleset, 0, 0, askVersion);
  if (version < 0) return reasonOf(version);
  if (version < versionMin) return 'Landlock is too old before Linux 5.19';
  const handled = handledRights(version);
  const attributes = encode(handled.files, handled.ports, handled.scopes);
  const ruleset = libc('syscall', calls.createRuleset, attributes, attributes.length, 0);
  if (ruleset < 0) return reasonOf(ruleset);
  for (const { type, rule } of listRules(view, handled)) {
    const added = libc('syscall', calls.addRule, ruleset, type, rule, 0);
    if (added < 0) return reasonOf(added);
  }
  // Programs that the thread starts get no more privileges than it has, or the kernel would ask for some here.
  libc('prctl', prSetNoNewPrivs, 1, 0, 0, 0);
  const restricted = libc('syscall', calls.restrictSelf, ruleset, 0);
  return restricted < 0 ? reasonOf(restricted) : undefined;
}

/** Calls a function of libc. Returns its result, or the negative number of the error. */
type Libc = (name: string, ...args: (number | Buffer)[]) => number;

async function openLibc(): Promise<Libc> {
  const { DataType, load, open } = await import('ffi-rs');
  const library = 'libc';
  // Without a path, this finds the functions of the libraries that Node.js has loaded.
  open({ library, path: '' });
  return (funcName, ...paramsValue) => {
    const paramsType = paramsValue.map((value) =>
      typeof value === 'number' ? DataType.I64 : DataType.U8Array,
    );
    const returned = { retType: DataType.I64, errno: true } as const;
    const result = load({ library, funcName, paramsType, paramsValue, ...returned });
    return result.value < 0 ? -result.errnoCode : result.value;
  };
}

type Handled = { files: bigint; ports: bigint; scopes: bigint };

/** Returns all rights that a version of Landlock can deny. */
function handledRights(version: number): Handled {
  const fileRights = version >= 5 ? 16n : version >= 3 ? 15n : 14n;
  return {
    files: (1n << fileRights) - 1n,
    ports: version >= 4 ? listen | connect : 0n,
    scopes: version >= 6 ? scopes : 0n,
  };
}

type Rule = { type: number; rule: Buffer };

function listRules(view: ThreadView, handled: Handled): Rule[] {
  const writing = Object.values(rights).reduce((all, right) => all | right) & handled.files;
  const paths = [
    ...view.writable.map((path) => ruleOfPath(openSync(path, openPath), writing)),
    ...view.readable.flatMap(ruleOfReadable),
  ];
  if (handled.ports === 0n) return paths;
  const ruleOfPort = (port: number, right: bigint): Rule => ({
    type: rules.port,
    rule: encode(right, BigInt(port)),
  });
  return [
    ...paths,
    ...view.listenPorts.map((port) => ruleOfPort(port, listen)),
    ...view.connectPorts.map((port) => ruleOfPort(port, connect)),
  ];
}

function ruleOfReadable(path: string): Rule[] {
  try {
    const fd = openSync(path, openPath);
    const folderRight = fstatSync(fd).isDirectory() ? rights.readFolder : 0n;
    return [ruleOfPath(fd, rights.readFile | folderRight)];
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'EACCES') return [];
    throw error;
  }
}

/** The file stays open: a rule applies to one inode, and /proc makes another for a name that the kernel has forgotten. */
function ruleOfPath(fd: number, allowed: bigint): Rule {
  const parent = Buffer.alloc(4);
  parent.writeInt32LE(fd);
  return { type: rules.path, rule: Buffer.concat([encode(allowed), parent]) };
}

function encode(...values: bigint[]): Buffer {
  const buffer = Buffer.alloc(8 * values.length);
  values.forEach((value, index) => {
    buffer.writeBigUInt64LE(value, 8 * index);
  });
  return buffer;
}

function reasonOf(result: number): string {
  const { ENOSYS, EOPNOTSUPP, EPERM } = constants.errno;
  if (result === -ENOSYS) return 'this kernel has no Landlock';
  if (result === -EOPNOTSUPP) return 'Landlock is switched off in this kernel';
  if (result === -EPERM) return 'a filter of system calls, such as that of a container, forbids Landlock';
  return `Landlock fails with error ${-result}`;
}
