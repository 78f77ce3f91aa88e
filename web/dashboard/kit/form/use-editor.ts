import { useState } from 'preact/hooks';
import { fetchJson, ReadError, sendForTag } from '../../reads/fetch-json.js';
import type { Read } from '../../reads/use-read.js';
import { type Send, useSend } from '../../reads/use-send.js';
import { useTexts } from '../../texts.js';
import { showNotice } from '../notice.js';
import { kitTexts } from '../texts.js';
import { type FormState, isSame, useForm } from './use-form.js';

type UseEditor<T, V extends object> = {
  /** Path of what is edited, which takes the method with If-Match. */
  path: string;
  /** PATCH by default. Either way the body has the changed fields alone. */
  method?: 'PATCH' | 'PUT';
  /** Path of `read`, where that is another one: `path` is a part, and the tag belongs to the whole. */
  wholePath?: string;
  /** The read of that path. */
  read: Read<T>;
  /** The data of `read`. */
  saved: T;
  /** The fields that can be edited, as a form has them. */
  valuesOf(saved: T): V;
  /** The body of the request; the changed fields by default. */
  bodyOf?(changes: Partial<V>, values: V): object;
  /** Name of the form on its page. */
  keptAs: string;
  unkept?: readonly (keyof V & string)[];
  required?: readonly (keyof V & string)[];
  check?(values: V): Readonly<Record<string, string>>;
  explain?(error: ReadError): Readonly<Record<string, string>> | undefined;
  fieldOf?(field: string): string | undefined;
  word?(field: string, code: string | undefined): string | undefined;
  /**
   * `etag` is the tag of `saved`, for an undo that must not meet another state. `base` is what the change was made to: after a
   * conflict the version of the other person, which an undo leaves.
   */
  onSaved?(saved: T, etag: string | undefined, base: V): void;
  /** For a change that takes long. */
  timeoutMs?: number;
};

/** A change that somebody else has saved since the editing began. */
export type Conflict<V extends object> = {
  /** The state that both began from. */
  base: V;
  mine: V;
  theirs: V;
  etag: string;
};

export type Editor<V extends object> = FormState<V> & {
  conflict: Conflict<V> | undefined;
  /** Saves the own values of these fields; the other person's other values stay. */
  settle: Send<[mine: readonly (keyof V & string)[]]>;
  /** Goes on editing; the next attempt meets the conflict again. */
  closeConflict(): void;
};

/** A change of some fields of a state. */
type Attempt<V extends object> = { values: V; edits: Partial<V>; base: V; etag: string | undefined };

/**
 * Edits something that several people may change: the service refuses a change of a state that nobody has seen, and then
 * the person sees both versions. What is entered survives a reload together with the state that it began from.
 */
export function useEditor<T, V extends object>(options: UseEditor<T, V>): Editor<V> {
  const { read, valuesOf } = options;
  const kit = useTexts(kitTexts);
  const initial = valuesOf(options.saved);
  const { conflict, setConflict, attempt } = useAttempt(options);
  const form = useForm<V>({
    ...options,
    ...{ initial, etag: read.etag },
    send(values, draft) {
      const edits = pick(draft.edits, (field) => !isSame(draft.edits[field], initial[field]));
      const { values: known, etag } = draft.base ?? { values: initial, etag: read.etag };
      return attempt({ values, edits, base: { ...initial, ...known }, etag });
    },
  });
  const settle = useSend(async (fields: readonly (keyof V & string)[]) => {
    if (conflict === undefined) return;
    const { mine, theirs, etag } = conflict;
    const edits = pick(mine, (field) => fields.includes(field));
    if (fields.length > 0) await attempt({ values: { ...theirs, ...edits }, edits, base: theirs, etag });
    else read.retry();
    setConflict(undefined);
    form.discard();
    // Who is called says it, perhaps with a way back.
    if (fields.length > 0 && options.onSaved === undefined) showNotice(kit.saved);
  });
  return {
    ...form,
    // The dialog says what the refusal means.
    error: form.error?.status === 412 ? undefined : form.error,
    ...{ conflict, settle },
    closeConflict() {
      setConflict(undefined);
      settle.clear();
    },
  };
}

/** Sends changes, and keeps both versions when somebody else came first. */
function useAttempt<T, V extends object>(options: UseEditor<T, V>) {
  const { path, method = 'PATCH', wholePath = path, read, valuesOf, bodyOf, onSaved, timeoutMs } = options;
  const [conflict, setConflict] = useState<Conflict<V>>();
  /** @throws ReadError as sendJson(), with 412 after it has set the conflict */
  const attempt = async ({ values, edits, base, etag }: Attempt<V>, isAgain = false): Promise<void> => {
    try {
      const body = bodyOf?.(edits, values) ?? edits;
      const answer = await sendForTag<T>(method, path, body, {
        ...{ ifMatch: etag },
        ...(timeoutMs !== undefined && { timeoutMs }),
      });
      read.take(answer);
      onSaved?.(answer.body, answer.etag, base);
    } catch (error) {
      if (!(error instanceof ReadError) || error.status !== 412) throw error;
      const current = await fetchJson<T>(wholePath);
      if (current === 'unchanged' || current.etag === undefined) throw error;
      const theirs = valuesOf(current.body);
      // Something else of it has changed: nothing that this would overwrite. What no answer has may have changed as well.
      const isHidden = Object.keys(edits).some((field) => options.unkept?.some((one) => one === field));
      const isElsewhere = !isHidden && isSame(theirs, base);
      if (isElsewhere && !isAgain) return attempt({ values, edits, base, etag: current.etag }, true);
      setConflict({ base, mine: values, theirs, etag: current.etag });
      throw error;
    }
  };
  return { conflict, setConflict, attempt: (given: Attempt<V>) => attempt(given) };
}

function pick<V extends object>(values: V, isWanted: (field: keyof V & string) => boolean): Partial<V> {
  const wanted = Object.entries(values).filter(([field]) => isWanted(field as keyof V & string));
  return Object.fromEntries(wanted) as Partial<V>; // The entries come from `values`.
}
