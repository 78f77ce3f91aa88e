/** Returns the turns that the event loop makes until the work is done, and its result. */
export async function countTurns<T>(work: () => Promise<T>): Promise<{ result: T; turns: number }> {
  let turns = 0;
  let isDone = false;
  function count(): void {
    turns += 1;
    if (!isDone) setImmediate(count);
  }
  setImmediate(count);
  try {
    const result = await work();
    return { result, turns };
  } finally {
    isDone = true;
  }
}
