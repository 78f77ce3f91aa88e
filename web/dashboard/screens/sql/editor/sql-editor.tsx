import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { ErrorNotice, Skeleton } from '../../../kit/states.js';
import { ReadError } from '../../../reads/fetch-json.js';
import type { PageFunctions } from './complete.js';
import type { Schema } from './dialect.js';
import type { Editor, EditorOptions } from './mount-editor.js';

type SqlEditorProps = EditorOptions & {
  schema: Schema | undefined;
  pageFunctions: PageFunctions;
  /** Gets the editor when it has loaded. */
  editor: RefObject<Editor | null>;
};

/** The editor, which is a file of its own that loads with this screen. */
export function SqlEditor({ schema, pageFunctions, editor, ...options }: SqlEditorProps) {
  const host = useRef<HTMLDivElement>(null);
  // The handlers of the newest drawing, for an editor that stays.
  const newest = useRef(options);
  newest.current = options;
  const [state, setState] = useState<'loading' | 'ready' | 'failed'>('loading');
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    let isGone = false;
    setState('loading');
    import('./mount-editor.js').then(
      ({ mountEditor }) => {
        if (isGone || host.current === null) return;
        editor.current = mountEditor(host.current, {
          ...newest.current,
          onChange: (text) => newest.current.onChange(text),
          onRun: () => newest.current.onRun(),
          onSave: () => newest.current.onSave(),
        });
        setState('ready');
      },
      () => !isGone && setState('failed'),
    );
    return () => {
      isGone = true;
      editor.current?.destroy();
      editor.current = null;
    };
  }, [attempt]);
  useEffect(() => {
    if (schema !== undefined && state === 'ready') editor.current?.use(schema, pageFunctions);
  }, [schema, pageFunctions, state]);
  return (
    <div class="sql-editor" data-state={state}>
      {state === 'loading' && <Skeleton height={176} />}
      {state === 'failed' && (
        <ErrorNotice error={new ReadError(0, '')} retry={() => setAttempt((count) => count + 1)} />
      )}
      <div ref={host} />
    </div>
  );
}
