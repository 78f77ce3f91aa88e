/** The bytes that all files of the log of one process take, and how many they may. */
export type LogSpace = {
  readonly bytes: number;
  readonly bytesMax: number;
  /** Whether nothing more may be written until something has been delivered. */
  readonly isFull: boolean;
  add(bytes: number): void;
  remove(bytes: number): void;
};

export function createLogSpace(bytesMax: number): LogSpace {
  let bytes = 0;
  return {
    bytesMax,
    get bytes() {
      return bytes;
    },
    get isFull() {
      return bytes >= bytesMax;
    },
    add(more) {
      bytes += more;
    },
    remove(less) {
      bytes -= less;
    },
  };
}
