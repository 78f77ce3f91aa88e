import { statfs } from 'node:fs/promises';

/**
 * File systems of Linux on which a write with `O_DSYNC` ends when the disk has it, by their `f_type` in `statfs(2)`, and
 * on which writing over bytes changes no metadata: ext2 to ext4, XFS, overlayfs on one of them, and memory. On others, such
 * as FUSE, 9P and NFS, the flag is up to a server; Btrfs and ZFS write each byte to a new place anyway.
 */
const directTypes: ReadonlySet<number> = new Set([0xef53, 0x58465342, 0x794c7630, 0x01021994]);

/** Whether writes to files of the folder need no `fdatasync` when `O_DSYNC` is set, and are faster into written space. */
export async function writesDirectly(dir: string): Promise<boolean> {
  if (process.platform !== 'linux') return false;
  return statfs(dir).then(
    ({ type }) => isDirectType(type),
    () => false,
  );
}

/** `type` is `f_type` of `statfs(2)`. */
export const isDirectType = (type: number): boolean => directTypes.has(type);
