import { rename, rm, stat, truncate } from 'node:fs/promises';
import { syncFolder } from './log-file.js';
import type { LogSpace } from './log-space.js';

/** Name of a file that holds no events, whatever its content. */
export const spareSuffix = '.spare';
/** Beside the file that is ready: one that is delivered comes back while the next one takes records. */
const sparesMax = 2;

export const spareOf = (path: string): string => path + spareSuffix;

/** Keeps a few files of a folder whose content has been delivered. */
export function createSpares(folder: string, space: LogSpace) {
  const spares: { path: string; bytes: number }[] = [];

  return {
    take(): { path: string; bytes: number } | undefined {
      const spare = spares.pop();
      if (spare !== undefined) space.removeAhead(spare.bytes);
      return spare;
    },
    /**
     * Takes the name from a file and cuts it to `bytesMax`. Returns false when there are enough, or it has no name.
     *
     * @throws Error when the disk may bring the name back.
     */
    async keep(path: string, bytesMax: number): Promise<boolean> {
      if (spares.length >= sparesMax) return false;
      const spare = spareOf(path);
      const isMoved = await rename(path, spare).then(
        () => true,
        () => false,
      );
      if (!isMoved) return false;
      try {
        await syncFolder(folder);
        const bytes = Math.min((await stat(spare)).size, bytesMax);
        await truncate(spare, bytes);
        spares.push({ path: spare, bytes });
        space.addAhead(bytes);
        return true;
      } catch (error) {
        await rm(spare, { force: true }).catch(() => {});
        throw error;
      }
    },
    async drop(): Promise<void> {
      for (const { path, bytes } of spares.splice(0)) {
        space.removeAhead(bytes);
        await rm(path, { force: true }).catch(() => {});
      }
    },
  };
}
