import { useRef, useState } from 'preact/hooks';
import { importLimits } from '../../../../../contract/subscriber-import.js';
import { useFormat } from '../../../format.js';
import { Field } from '../../../kit/form/field.js';
import { Panel } from '../../../kit/panel.js';
import { useTexts } from '../../../texts.js';
import { DryLook } from './dry-look.js';
import { ImportOutcome } from './outcome.js';
import { type FileFault, type FileRows, readFile } from './read-file.js';
import { importTexts } from './texts.js';
import type { Importing } from './use-import.js';

/** Brings addresses from a file: a look at what it says, the consent, the progress, and what was refused. */
export function ImportView({ file, choose, state, rows, start, goOn, stop, reset }: Importing) {
  const texts = useTexts(importTexts);
  const format = useFormat();
  return (
    <Panel title={texts.importTitle} note={texts.importWhy({ rows: format.count(importLimits.rows) })}>
      <div class="import-steps">
        {state === undefined ? (
          <>
            <FileField onRead={choose} />
            {file !== undefined && <DryLook file={file} onStart={start} />}
          </>
        ) : (
          <ImportOutcome state={state} all={rows.length} onStop={stop} onGoOn={goOn} onAnother={reset} />
        )}
      </div>
    </Panel>
  );
}

function FileField({ onRead }: { onRead(file: FileRows | undefined): void }) {
  const texts = useTexts(importTexts);
  const format = useFormat();
  const [fault, setFault] = useState<FileFault>();
  const newest = useRef<File | undefined>(undefined);
  const choose = async (file: File | undefined): Promise<void> => {
    newest.current = file;
    const read = file === undefined ? undefined : await readFile(file);
    if (newest.current !== file) return;
    const isFault = typeof read === 'string';
    setFault(isFault ? read : undefined);
    onRead(isFault ? undefined : read);
  };
  const words = { ...texts, tooMany: texts.tooMany({ rows: format.count(importLimits.rows) }) };
  return (
    <Field label={texts.file} hint={texts.fileWhy} error={fault && words[fault]}>
      {(input) => (
        <input
          {...input}
          type="file"
          accept=".csv,text/csv,text/plain"
          onChange={({ currentTarget }) => void choose(currentTarget.files?.[0])}
        />
      )}
    </Field>
  );
}
