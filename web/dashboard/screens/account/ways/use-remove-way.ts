import { useState } from 'preact/hooks';
import type { ContactWay } from '../../../../../contract/manage/contact-ways.js';
import { showNotice } from '../../../kit/notice.js';
import { requestOf, sendJson } from '../../../reads/fetch-json.js';
import { unlessGone } from '../../../reads/refusals.js';
import type { Read } from '../../../reads/use-read.js';
import { useTexts } from '../../../texts.js';
import { waysTexts } from './texts.js';
import { waysPath } from './way-dialogs.js';

/** Longer than the notice that undoes it stands. */
const waitMs = 11_000;

export type Removal = { isRemoved(id: string): boolean; remove(way: ContactWay): void };

/**
 * Removes a way once its notice has gone: nothing could bring its secrets back, so until then it only looks removed. A
 * person who leaves meanwhile has decided.
 */
export function useRemoveWay(read: Pick<Read<unknown>, 'retry'>): Removal {
  const texts = useTexts(waysTexts);
  const [removed, setRemoved] = useState<ReadonlySet<string>>(new Set());
  const show = (id: string): void => setRemoved((before) => new Set([...before].filter((one) => one !== id)));
  return {
    isRemoved: (id) => removed.has(id),
    remove({ id, name }) {
      const path = `${waysPath}/${id}`;
      const leave = (): void => {
        // A request of its own outlives the document.
        void fetch(path, { ...requestOf('DELETE'), keepalive: true });
      };
      const timer = setTimeout(() => {
        removeEventListener('pagehide', leave);
        sendJson('DELETE', path)
          .catch(unlessGone)
          .catch(() => {
            show(id);
            showNotice(texts.notRemoved({ name }));
          })
          .finally(read.retry);
      }, waitMs);
      addEventListener('pagehide', leave);
      setRemoved((before) => new Set([...before, id]));
      showNotice(texts.removed({ name }), () => {
        clearTimeout(timer);
        removeEventListener('pagehide', leave);
        show(id);
      });
    },
  };
}
