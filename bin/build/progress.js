const intervalMs = 1000;

/** On a terminal, says that the build runs, and how long it took. Prints nothing into a file or a pipe. */
export function showProgress(terminal = process.stderr) {
  if (terminal.isTTY !== true) return { end() {} };
  const startedAt = performance.now();
  const seconds = () => Math.round((performance.now() - startedAt) / 1000);
  const show = () => terminal.write(`\r\x1b[KBuilding… ${seconds()} s`);
  show();
  const timer = setInterval(show, intervalMs);
  return {
    /** @param {boolean} isBuilt */
    end(isBuilt) {
      clearInterval(timer);
      terminal.write(`\r\x1b[K${isBuilt ? `Built in ${seconds()} s.\n` : ''}`);
    },
  };
}
