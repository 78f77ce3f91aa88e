export type Terminal = { isTTY?: boolean; write(text: string): unknown };

export type ProgressBar = {
  /** `share` is from 0 to 1; undefined when it is not known how much there is. */
  show(share: number | undefined, text: string): void;
  /** Takes the bar away. */
  clear(): void;
};

const width = 30;

/** A line that is written over and over on a terminal; nothing is written to a file or a pipe. */
export function createProgressBar(terminal: Terminal): ProgressBar {
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
