/** Rows of one statement, so that none holds its locks for long. */
const chunkRows = 1_000;

/**
 * Repeats a deletion until it deletes less than a full chunk. `deleteChunk` deletes up to `chunkRows` rows and returns
 * how many. Returns how many were deleted in all.
 */
export async function deleteInChunks(deleteChunk: (chunkRows: number) => Promise<number>): Promise<number> {
  for (let deleted = 0; ; ) {
    const count = await deleteChunk(chunkRows);
    deleted += count;
    if (count < chunkRows) return deleted;
  }
}
