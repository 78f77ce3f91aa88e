import { useId, useState } from 'preact/hooks';
import { useFormat } from '../../../format.js';
import { Icon } from '../../../kit/icons.js';
import { DataTable } from '../../../kit/table/data-table.js';
import { useTexts } from '../../../texts.js';
import type { FileRow, FileRows } from './read-file.js';
import { type ImportTexts, importTexts } from './texts.js';

/** Who has agreed: as the file says, everybody, or nobody yet. */
type Consent = 'file' | 'all' | 'none';

const shownRows = 5;

type DryLookProps = { file: FileRows; onStart(rows: readonly FileRow[]): void };

/** The first rows as they are understood, and the question that only a person can answer. */
export function DryLook({ file: { rows, saysConsent }, onStart }: DryLookProps) {
  const texts = useTexts(importTexts);
  const format = useFormat();
  const [chosen, setConsent] = useState<Consent>();
  const [isMissing, setMissing] = useState(false);
  const consent = chosen ?? (saysConsent ? 'file' : undefined);
  const understood = (row: FileRow): FileRow => ({ ...row, confirmed: consentOf(row, consent) });
  return (
    <>
      <section class="dry-look" aria-label={texts.firstRows}>
        <h3>{texts.firstRows}</h3>
        <p class="note" role="status">
          {texts.rowsFound({ count: rows.length, shown: format.count(rows.length) })}
        </p>
        <DataTable
          isShort
          name={texts.firstRows}
          rows={rows.slice(0, shownRows).map(understood)}
          columns={columnsOf(texts)}
          keyOf={({ line }) => String(line)}
          sorting={{ key: 'line', isDescending: false }}
        />
      </section>
      <ConsentChoice
        options={saysConsent ? ['file', 'all', 'none'] : ['all', 'none']}
        value={consent}
        isMissing={isMissing}
        onChoose={(value) => {
          setConsent(value);
          setMissing(false);
        }}
      />
      <div class="form-actions">
        <button
          type="button"
          class="button"
          onClick={() => (consent === undefined ? setMissing(true) : onStart(rows.map(understood)))}
        >
          {texts.start({ count: format.count(rows.length) })}
        </button>
      </div>
    </>
  );
}

function consentOf({ confirmed }: FileRow, consent: Consent | undefined): boolean | undefined {
  if (consent === 'file' || consent === undefined) return confirmed;
  return consent === 'all';
}

type ChoiceProps = {
  options: readonly Consent[];
  value: Consent | undefined;
  isMissing: boolean;
  onChoose(value: Consent): void;
};

function ConsentChoice({ options, value, isMissing, onChoose }: ChoiceProps) {
  const texts = useTexts(importTexts);
  const id = useId();
  return (
    <fieldset class="check-list" aria-describedby={id}>
      <legend>{texts.consentAsk}</legend>
      {options.map((option) => (
        <label key={option}>
          <input
            type="radio"
            name={id}
            checked={option === value}
            aria-invalid={isMissing}
            onChange={() => onChoose(option)}
          />
          <span>{texts.consents[option]}</span>
        </label>
      ))}
      <p id={id} class={isMissing ? 'field-error' : 'note'} role={isMissing ? 'alert' : undefined}>
        {isMissing && <Icon name="warning" />}
        <span>{isMissing ? texts.consentMissing : texts.consentAskWhy}</span>
      </p>
    </fieldset>
  );
}

function columnsOf(texts: ImportTexts) {
  const agreedOf = ({ confirmed }: FileRow) =>
    confirmed === undefined ? texts.unsaid : confirmed ? texts.yes : texts.no;
  return [
    { key: 'line', title: texts.line, value: ({ line }: FileRow) => line },
    { key: 'email', title: texts.address, class: 'address-cell', value: ({ email }: FileRow) => email },
    {
      key: 'language',
      title: texts.language,
      value: ({ language }: FileRow) => language || texts.pageLanguage,
    },
    { key: 'agreed', title: texts.agreed, value: agreedOf },
  ];
}
