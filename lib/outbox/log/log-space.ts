/** The bytes that all files of the log of one process take, and how many they may. */
export type LogSpace = {
  /** Bytes of records. */
  readonly bytes: number;
  /** Bytes of space that was written ahead and holds no records. */
  readonly aheadBytes: number;
  readonly bytesMax: number;
  /** Whether nothing more may be written until something has been delivered. */
  readonly isFull: boolean;
  add(bytes: number): void;
  remove(bytes: number): void;
  addAhead(bytes: number): void;
  removeAhead(bytes: number): void;
};

export function createLogSpace(bytesMax: number): LogSpace {
  let bytes = 0;
  let aheadBytes = 0;
  return {
    bytesMax,
    get bytes() {
      return bytes;
    },
    get aheadBytes() {
      return aheadBytes;
    },
    get isFull() {
      return bytes + aheadBytes >= bytesMax;
    },
    add(more) {
      bytes += more;
    },
    remove(less) {
      bytes -= less;
    },
    addAhead(more) {
      aheadBytes += more;
    },
    removeAhead(less) {
      aheadBytes -= less;
    },
  };
}
