import { useRef, useState } from 'preact/hooks';
import { importLimits } from '../../../../../contract/subscriber-import.js';
import { useFormat } from '../../../format.js';
import { Field } from '../../../kit/form/field.js';
import { Panel } from '../../../kit/panel.js';
import { useTexts } from '../../../texts.js';
import { subscribersTexts } from '../texts.js';
import { DryLook } from './dry-look.js';
import { ImportOutcome } from './outcome.js';
import { type FileFault, type FileRow, type FileRows, readFile } from './read-file.js';
import { useImport } from './use-import.js';

/** Brings addresses from a file: a look at what it says, the consent, the progress, and what was refused. */
export function ImportView() {
  const texts = useTexts(subscribersTexts);
  const format = useFormat();
  const [file, setFile] = useState<FileRows>();
  const [rows, setRows] = useState<readonly FileRow[]>([]);
  const importing = useImport();
  const reset = (): void => {
    importing.reset();
    setFile(undefined);
  };
  return (
    <Panel title={texts.importTitle} note={texts.importWhy(format.count(importLimits.rows))}>
      <div class="import-steps">
        {importing.state === undefined ? (
          <>
            <FileField onRead={setFile} />
            {file !== undefined && (
              <DryLook
                file={file}
                onStart={(given) => {
                  setRows(given);
                  importing.start(given);
                }}
              />
            )}
          </>
        ) : (
          <ImportOutcome
            state={importing.state}
            all={rows.length}
            onStop={importing.stop}
            onGoOn={() => importing.start(rows)}
            onAnother={reset}
          />
        )}
      </div>
    </Panel>
  );
}

function FileField({ onRead }: { onRead(file: FileRows | undefined): void }) {
  const texts = useTexts(subscribersTexts);
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
  const words = { ...texts, tooMany: texts.tooMany(format.count(importLimits.rows)) };
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
