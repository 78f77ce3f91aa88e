import type { ManagedPage } from '../../../../contract/manage/pages.js';
import type { Me } from '../../../../contract/manage/session.js';
import { type Editor, useEditor } from '../../kit/form/use-editor.js';
import { isSame } from '../../kit/form/use-form.js';
import { showNotice } from '../../kit/notice.js';
import { kitTexts } from '../../kit/texts.js';
import { pagePath } from '../../reads/api-path.js';
import { fetchJson, sendForTag } from '../../reads/fetch-json.js';
import type { Read } from '../../reads/use-read.js';
import { useSession } from '../../session.js';
import { useTexts } from '../../texts.js';
import { pageTexts } from './texts.js';

/** The settings of a page, as the whole screen reads them. */
export type PageRead = { read: Read<ManagedPage>; page: ManagedPage };

type UsePageEditor<V extends object> = PageRead & {
  valuesOf(page: ManagedPage): V;
  /** Returns the fields for the API; the fields of the form by default. */
  bodyOf?(values: Partial<V>): object;
  keptAs: string;
  required?: readonly (keyof V & string)[];
  check?(values: V): Readonly<Record<string, string>>;
  fieldOf?(field: string): string | undefined;
};

/** Edits some settings of the page; a change can be undone for a while, unless somebody has changed them since. */
export function usePageEditor<V extends object>(options: UsePageEditor<V>): Editor<V> {
  const { read, page, valuesOf, bodyOf = (values) => values } = options;
  const kit = useTexts(kitTexts);
  const { undone, notUndone } = useTexts(pageTexts);
  const path = pagePath(page.slug, '');
  const { setMe } = useSession();
  /** Reads the name again, so that the page switcher shows it. */
  const rename = async (before: string, after: string): Promise<void> => {
    const answer =
      before === after ? 'unchanged' : await fetchJson<Me>('/api/v1/me').catch(() => 'unchanged' as const);
    if (answer !== 'unchanged') setMe(answer.body);
  };
  const undo = async (before: V, after: V): Promise<void> => {
    try {
      const current = await fetchJson<ManagedPage>(path);
      if (current === 'unchanged' || !isSame(valuesOf(current.body), after)) return showNotice(notUndone);
      const answer = await sendForTag<ManagedPage>('PATCH', path, bodyOf(before), { ifMatch: current.etag });
      read.take(answer);
      void rename(current.body.name, answer.body.name);
      showNotice(undone);
    } catch {
      showNotice(notUndone);
    }
  };
  return useEditor<ManagedPage, V>({
    ...options,
    ...{ path, saved: page },
    bodyOf: (changes) => bodyOf(changes),
    onSaved(saved, _, base) {
      void rename(page.name, saved.name);
      const after = valuesOf(saved);
      showNotice(kit.saved, () => void undo(changedOf(base, after), after));
    },
  });
}

/** The values before, of the fields that a change has changed. */
function changedOf<V extends object>(before: V, after: V): V {
  const fields = Object.entries(before).filter(([field, value]) => !isSame(value, Reflect.get(after, field)));
  return Object.fromEntries(fields) as V; // A subset of the fields of `before`; the rest is not sent.
}
