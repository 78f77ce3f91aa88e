import { useEffect, useRef, useState } from 'preact/hooks';
import { type FieldErrors, fieldErrorOf, ReadError } from '../../reads/fetch-json.js';
import { useSend } from '../../reads/use-send.js';
import { useTexts } from '../../texts.js';
import { kitTexts } from '../texts.js';
import type { Draft } from './draft.js';
import { useDraft } from './use-draft.js';
import { useIsGone } from './use-is-gone.js';

type UseForm<V extends object> = {
  /** The fields as they are before anything is entered, and after a change that was made. */
  initial: V;
  /** Name of the form on its page: what is entered survives a reload until it is sent. */
  keptAs?: string | undefined;
  /** Fields that no browser keeps, such as secrets. */
  unkept?: readonly (keyof V & string)[];
  /** The tag of the saved state that `initial` shows; the draft remembers the one that it began from. */
  etag?: string | undefined;
  /** Fields that must not be empty. */
  required?: readonly (keyof V & string)[];
  /** Returns the problems that are known before the fields are sent, by field. */
  check?(values: V): FieldErrors;
  send(values: V, draft: Draft<V>): Promise<void>;
  /** The field that a refusal without a field of the form is about, with a sentence. */
  explain?(error: ReadError): FieldErrors | undefined;
  /** The field of the form for one of the request; `undefined` shows the refusal below the form. By default the same, where `initial` has it. */
  fieldOf?(field: string): string | undefined;
  /** Words what is wrong with a field of the request, by the code; the sentence of the service by default. */
  word?(field: string, code: string | undefined): string | undefined;
};

type FieldState<Value> = { value: Value; onInput(value: Value): void; error: string | undefined };

/** A form whose input stays until the change is made. */
export type FormState<V extends object> = {
  values: V;
  isChanged: boolean;
  /** The fields that differ from `initial`. */
  changes: Partial<V>;
  set<K extends keyof V & string>(field: K): (value: V[K]) => void;
  /** The attributes of the input of a field. */
  field<K extends keyof V & string>(field: K): FieldState<V[K]>;
  /** Goes back to what is saved. */
  discard(): void;
  errors: FieldErrors;
  /** Why the newest attempt failed. The form shows it unless a field shows what is wrong. */
  error: ReadError | undefined;
  isAboutField: boolean;
  refusals: number;
  /** Whether the newest attempt was made, and nothing was entered since. */
  isDone: boolean;
  isSending: boolean;
  submit(): void;
  draft: Draft<V>;
  setDraft(change: (draft: Draft<V>) => Draft<V>): void;
};

/** Keeps what is entered, sends it, and says which field is wrong. */
export function useForm<V extends object>({ initial, etag, ...form }: UseForm<V>): FormState<V> {
  const texts = useTexts(kitTexts);
  const [draft, setDraft] = useDraft<V>(form.keptAs, form.unkept);
  const [missing, setMissing] = useState<FieldErrors>({});
  const [refusals, setRefusals] = useState(0);
  const [isDone, setDone] = useState(false);
  const values = { ...initial, ...draft.edits };
  const latest = useRef(draft);
  latest.current = draft;
  const isGone = useIsGone();
  const send = useSend(async (given: V, from: Draft<V>) => {
    await form.send(given, from).catch((error: unknown) => {
      // The key stands for something else, or for something that was deleted since: the next attempt is another one.
      const isTaken = error instanceof ReadError && (error.status === 409 || error.status === 404);
      if (isTaken) setDraft((before) => ({ ...before, key: undefined }));
      throw error;
    });
    // Input of the meantime is not sent yet. A new thing that is made leaves nothing to enter.
    const isOver = isGone.current && etag === undefined;
    const later = isOver ? {} : changesOf<Partial<V>>(given, latest.current.edits);
    setDraft(() => ({ edits: later }));
    setDone(Object.keys(later).length === 0);
  });
  useEffect(() => {
    if (send.error !== undefined) setRefusals((count) => count + 1);
  }, [send.error]);
  const told = send.error && errorsOf(send.error, { ...form, initial });
  const changes = changesOf(initial, draft.edits);
  const errors: FieldErrors = { ...told, ...missing };
  const set =
    <K extends keyof V & string>(field: K) =>
    (value: V[K]): void => {
      setDraft(({ edits, base, key }) => ({
        key,
        edits: { ...edits, [field]: value },
        base: base ?? (etag === undefined ? undefined : { etag, values: initial }),
      }));
      setMissing(({ [field]: _, ...others }) => others);
      // The refusal is about what stood there before.
      if (told?.[field] !== undefined) send.clear();
      setDone(false);
    };
  return {
    ...{ values, changes, draft, setDraft, refusals, isDone, errors, set },
    isChanged: Object.keys(changes).length > 0,
    field: (field) => ({ value: values[field], onInput: set(field), error: errors[field] }),
    discard() {
      setDraft(() => ({ edits: {} }));
      setMissing({});
      send.clear();
    },
    error: send.error,
    isAboutField: told !== undefined,
    isSending: send.isSending,
    submit() {
      const empty = (form.required ?? []).filter((field) => isEmpty(values[field]));
      const wrong = {
        ...form.check?.(values),
        ...Object.fromEntries(empty.map((field) => [field, texts.required])),
      };
      setMissing(wrong);
      setDone(false);
      if (Object.keys(wrong).length > 0) {
        setRefusals((count) => count + 1);
        return;
      }
      const key = draft.key ?? makeKey();
      setDraft((before) => ({ ...before, key }));
      send.run(values, { ...draft, key });
    },
  };
}

/** Browsers make UUIDs only on pages that come by HTTPS. */
function makeKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'string' ? value.trim() === '' : Array.isArray(value) && value.length === 0;
}

/** The edits that are no longer what is saved. */
function changesOf<V extends object>(initial: V, edits: Partial<V>): Partial<V> {
  const changes = { ...edits };
  for (const field in edits) {
    if (isSame(edits[field], initial[field])) delete changes[field];
  }
  return changes;
}

/** Whether two values of a field say the same: texts, numbers, and lists and records of them. */
export function isSame(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}

function errorsOf<V extends object>(
  error: ReadError,
  form: Pick<UseForm<V>, 'initial' | 'explain' | 'fieldOf' | 'word'>,
): FieldErrors | undefined {
  const { initial, explain, word } = form;
  // Some fields of a request are not in every form.
  const { fieldOf = (name: string) => (name in initial ? name : undefined) } = form;
  const { path: [field] = [], problem = '' } = fieldErrorOf(error) ?? {};
  const shown = field === undefined ? undefined : fieldOf(field);
  if (field === undefined || shown === undefined) return explain?.(error);
  return { [shown]: word?.(field, error.code) ?? problem.charAt(0).toUpperCase() + problem.slice(1) };
}
