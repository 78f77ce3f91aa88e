import type { AuditEntry } from '../../../../contract/manage/audit.js';
import { useTexts } from '../../texts.js';
import { diffFields, type FieldDiff, type Piece } from './diff.js';
import { auditTexts } from './texts.js';

/** Draws the changes field by field: values side by side, long texts and lists with added and removed parts. */
export function Changes({ before, after }: Pick<AuditEntry, 'before' | 'after'>) {
  const texts = useTexts(auditTexts);
  const diffs = diffFields(before, after);
  if (diffs.length === 0) return <p class="note">{texts.noFields}</p>;
  return (
    <dl class="audit-diff">
      {diffs.map((diff) => (
        <div key={diff.field}>
          <dt>{diff.field}</dt>
          <dd>{diff.kind === 'value' ? <Values diff={diff} /> : <Pieces pieces={diff.pieces} />}</dd>
        </div>
      ))}
    </dl>
  );
}

function Values({ diff: { before, after } }: { diff: Extract<FieldDiff, { kind: 'value' }> }) {
  const texts = useTexts(auditTexts);
  return (
    <>
      {before !== null && (
        <del>
          <span class="visually-hidden">{texts.before}: </span>
          <span dir="auto">{before}</span>
        </del>
      )}
      {before !== null && <span aria-hidden="true"> → </span>}
      {after === null ? (
        <span class="note">{texts.nothing}</span>
      ) : (
        <ins>
          <span class="visually-hidden">{texts.after}: </span>
          <span dir="auto">{after}</span>
        </ins>
      )}
    </>
  );
}

const signs = { same: ' ', added: '+', removed: '−' } as const;

function Pieces({ pieces }: { pieces: readonly Piece[] }) {
  const texts = useTexts(auditTexts);
  return (
    <ul class="audit-pieces">
      {pieces.map(({ kind, text }, i) => (
        <li key={i} class={kind}>
          <span aria-hidden="true">{signs[kind]}</span>
          {kind !== 'same' && <span class="visually-hidden">{texts[kind]}: </span>}
          <span dir="auto">{text}</span>
        </li>
      ))}
    </ul>
  );
}
