type Terminal = { isTTY?: boolean; write(text: string): unknown };

export type ProgressBar = {
  /** `share` is from 0 to 1, or undefined when the total is unknown. */
  show(share: number | undefined, text: string): void;
  /** Removes the bar. */
  clear(): void;
};

const width = 30;

/** A line that is rewritten in place on a terminal. Writes nothing to a file or a pipe. */
export function createProgressBar(terminal: Terminal = process.stderr): ProgressBar {
  if (terminal.isTTY !== true) return { show() {}, clear() {} };
  return {
    show(share, text) {
      terminal.write(`\r\x1b[K${share === undefined ? '' : `${bar(share)} `}${text}`);
    },
    clear() {
      terminal.write('\r\x1b[K');
    },
  };
}

function bar(share: number): string {
  const full = Math.round(Math.min(Math.max(share, 0), 1) * width);
  return `[${'#'.repeat(full)}${'.'.repeat(width - full)}]`;
}
