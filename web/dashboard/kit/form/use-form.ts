import { useEffect, useState } from 'preact/hooks';
import type { ReadError } from '../../reads/fetch-json.js';
import { type FieldErrors, fieldErrorOf } from '../../reads/fetch-json.js';
import { useSend } from '../../reads/use-send.js';
import { useTexts } from '../../texts.js';
import { kitTexts } from '../texts.js';

type Values = Readonly<Record<string, string>>;

type UseForm<V extends Values> = {
  /** The fields as they are at first, and after a change that was made. */
  initial: V;
  /** Fields that must not be empty. */
  required?: readonly (keyof V & string)[];
  send(values: V): Promise<void>;
  /** The field that a refusal is about, with a sentence; what names its field itself needs none of this. */
  explain?(error: ReadError): FieldErrors | undefined;
  /** Words what is wrong with a field; the sentence of the service by default. */
  word?(field: string, problem: string): string | undefined;
};

/** A form whose input stays until the change is made. */
export type FormState<V extends Values> = {
  values: V;
  isChanged: boolean;
  set(field: keyof V & string): (value: string) => void;
  errors: FieldErrors;
  /** A refusal that is about no field. */
  error: ReadError | undefined;
  refusals: number;
  /** Whether the newest attempt was made, and nothing was entered since. */
  isDone: boolean;
  isSending: boolean;
  submit(): void;
};

/** Keeps what is entered, sends it, and says which field is wrong. */
export function useForm<V extends Values>({ initial, ...form }: UseForm<V>): FormState<V> {
  const texts = useTexts(kitTexts);
  const [edits, setEdits] = useState<Partial<V>>({});
  const [missing, setMissing] = useState<FieldErrors>({});
  const [refusals, setRefusals] = useState(0);
  const [isDone, setDone] = useState(false);
  const values = { ...initial, ...edits };
  const send = useSend(async (given: V) => {
    await form.send(given);
    setEdits({});
    setDone(true);
  });
  useEffect(() => {
    if (send.error !== undefined) setRefusals((count) => count + 1);
  }, [send.error]);
  const told = send.error && errorsOf(send.error, form);
  return {
    values,
    isChanged: Object.entries(values).some(([name, value]) => value !== initial[name]),
    set: (field) => (value) => {
      setEdits((before) => ({ ...before, [field]: value }));
      setMissing(({ [field]: _, ...others }) => others);
      setDone(false);
    },
    errors: { ...told, ...missing },
    error: told === undefined ? send.error : undefined,
    refusals,
    isDone,
    isSending: send.isSending,
    submit() {
      const empty = (form.required ?? []).filter((field) => values[field]?.trim() === '');
      setMissing(Object.fromEntries(empty.map((field) => [field, texts.required])));
      setDone(false);
      if (empty.length === 0) send.run(values);
      else setRefusals((count) => count + 1);
    },
  };
}

function errorsOf<V extends Values>(
  error: ReadError,
  { explain, word }: Pick<UseForm<V>, 'explain' | 'word'>,
): FieldErrors | undefined {
  const found = fieldErrorOf(error);
  if (found === undefined) return explain?.(error);
  const { field, problem } = found;
  return { [field]: word?.(field, problem) ?? problem.charAt(0).toUpperCase() + problem.slice(1) };
}
