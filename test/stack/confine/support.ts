import { DataType, load, open } from 'ffi-rs';

/** Whether the kernel of this machine lets a process confine itself by at least this version of Landlock. */
export function hasLandlock(versionMin = 2): boolean {
  if (process.platform !== 'linux') return false;
  open({ library: 'libc', path: '' });
  const version = load({
    library: 'libc',
    funcName: 'syscall',
    retType: DataType.I64,
    paramsType: [DataType.I64, DataType.I64, DataType.I64, DataType.I64],
    paramsValue: [444, 0, 0, 1],
  });
  return version >= versionMin;
}
