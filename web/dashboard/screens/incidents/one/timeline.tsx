import { useState } from 'preact/hooks';
import type { UpdateStatus } from '../../../../../contract/incidents.js';
import type { ManagedUpdate } from '../../../../../contract/manage/incidents/incidents.js';
import { useFormat } from '../../../format.js';
import { Confirm } from '../../../kit/form/confirm.js';
import { MarkdownText } from '../../../kit/markdown-text.js';
import { showNotice } from '../../../kit/notice.js';
import { Panel } from '../../../kit/panel.js';
import { type Known, tooltipOf, useLabels } from '../../../kit/person.js';
import { fetchJson, sendJson } from '../../../reads/fetch-json.js';
import { PermittedButton } from '../../../shell/permitted.js';
import { useTexts } from '../../../texts.js';
import { incidentsTexts } from '../texts.js';
import { useMoments } from '../use-moments.js';
import type { Opened } from './opened.js';
import { oneTexts } from './texts.js';
import { UpdateEditor } from './update-editor.js';
import { useInline } from './use-inline.js';

/** The updates, newest first; every one can be corrected or deleted. */
export function Timeline(opened: Opened) {
  const texts = useTexts(oneTexts);
  const { updates, author } = opened.incident;
  const labelOf = useLabels([author, ...updates.map((update) => update.author)]);
  return (
    <Panel title={texts.timeline} note={updates.length > 1 ? texts.newestFirst : undefined}>
      {updates.length === 0 && <p class="note">{texts.noUpdates}</p>}
      <ol class="timeline">
        {useWithEdited(updates).map(({ update, isGone, onEdit }) => (
          <UpdateRow key={update.id} {...opened} {...{ update, isGone, onEdit, labelOf }} />
        ))}
      </ol>
    </Panel>
  );
}

type Labels = {
  /** Names of authors. */
  labelOf(author: Known): string;
};
type Row = { update: ManagedUpdate; isGone: boolean; onEdit(isEdited: boolean): void };

/** The updates with those that somebody has deleted while the person corrects them: their text must not vanish. */
function useWithEdited(updates: readonly ManagedUpdate[]): Row[] {
  const [edited, setEdited] = useState<readonly ManagedUpdate[]>([]);
  const known = new Set(updates.map(({ id }) => id));
  const gone = edited.filter(({ id }) => !known.has(id));
  // The later of two updates of one time stands first, as on the page.
  return [...updates, ...gone]
    .reverse()
    .toSorted((a, b) => Date.parse(b.createdAt) - Date.parse(a.createdAt))
    .map((update) => ({
      update,
      isGone: !known.has(update.id),
      onEdit: (isEdited) =>
        setEdited((before) => [
          ...before.filter(({ id }) => id !== update.id),
          ...(isEdited ? [update] : []),
        ]),
    }));
}

function UpdateRow({ onEdit, labelOf, ...props }: Opened & Row & Labels) {
  const { update, isGone } = props;
  const texts = useTexts(oneTexts);
  const { statuses } = useTexts(incidentsTexts);
  const momentOf = useMoments(props.page?.timeZone).incident;
  const keptAs = `update ${update.id}`;
  const inline = useInline(keptAs);
  const [isAsked, ask] = useState(false);
  const moment = momentOf(update.createdAt);
  const status = statuses[update.status];
  return (
    <li class={`update ${update.status}`}>
      <StatusMark status={update.status} />
      <div class="update-box" ref={inline.box}>
        <header>
          <h3>{status}</h3>
          <UpdateNote update={update} labelOf={labelOf} zone={props.page?.timeZone} />
          {!inline.isOpen && (
            <span class="update-actions">
              <PermittedButton
                permission="incidents.write"
                class="link-button opens"
                label={texts.correctUpdate({ status, at: moment })}
                onClick={() => {
                  onEdit(true);
                  inline.open();
                }}
              >
                {texts.correct}
              </PermittedButton>
              <PermittedButton
                permission="incidents.write"
                class="link-button"
                label={texts.deleteUpdate({ status, at: moment })}
                onClick={() => ask(true)}
              >
                {texts.remove}
              </PermittedButton>
            </span>
          )}
        </header>
        {inline.isOpen ? (
          <>
            {isGone && (
              <p class="stale" role="status">
                {texts.gone}
              </p>
            )}
            <UpdateEditor
              {...props}
              keptAs={keptAs}
              onClose={() => {
                onEdit(false);
                inline.close();
              }}
            />
          </>
        ) : (
          <MarkdownText class="update-body" text={update.body} />
        )}
      </div>
      {isAsked && <RemoveUpdate {...props} onClose={() => ask(false)} />}
    </li>
  );
}

type NoteProps = { update: ManagedUpdate; zone: string | undefined } & Labels;

/** When, by whom, and when it was corrected. */
function UpdateNote({ update, labelOf, zone }: NoteProps) {
  const { createdAt, correctedAt, author } = update;
  const texts = useTexts(oneTexts);
  const { by } = useTexts(incidentsTexts);
  const format = useFormat();
  const momentOf = useMoments(zone).incident;
  return (
    <p class="note">
      <time dateTime={createdAt} title={format.full(Date.parse(createdAt))}>
        {momentOf(createdAt)}
      </time>
      {author !== null && (
        <span dir="auto" title={tooltipOf(author, labelOf(author))}>
          {by({ name: labelOf(author) })}
        </span>
      )}
      {correctedAt !== null && (
        <span title={format.full(Date.parse(correctedAt))}>
          {texts.corrected({ moment: momentOf(correctedAt) })}
        </span>
      )}
    </p>
  );
}

type RemoveProps = Opened & { update: ManagedUpdate; onClose(): void };

function RemoveUpdate({ update, path, read, onClose }: RemoveProps) {
  const texts = useTexts(oneTexts);
  const confirm = async (): Promise<void> => {
    await sendJson('DELETE', `${path}/updates/${update.id}`);
    showNotice(texts.removed);
    // It is deleted: where this read fails, the next one shows it.
    fetchJson<Opened['incident']>(path).then(
      (answer) => answer !== 'unchanged' && read.take(answer),
      () => {},
    );
  };
  return (
    <Confirm title={texts.removeUpdate} action={texts.remove} isDanger onConfirm={confirm} onClose={onClose}>
      <div class="confirm-words">
        <p>{texts.removeUpdateWhy}</p>
        <blockquote>
          <MarkdownText text={update.body} />
        </blockquote>
      </div>
    </Confirm>
  );
}

/** Every status has a shape of its own beside its colour. */
const shapes: Readonly<Record<UpdateStatus, string>> = {
  investigating: 'M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM10.5 10.5 13.5 13.5',
  identified: 'M8 2.5 14 13H2zM8 6.5v3M8 11.2h.01',
  monitoring: 'M1.5 8h3l1.5-4 3.5 8 1.5-4h3.5',
  resolved: 'M3 8.5l3.2 3.2L13 4.5',
};

/** A status as a picture beside its word. */
function StatusMark({ status }: { status: UpdateStatus }) {
  return (
    <svg class={`status-mark ${status}`} viewBox="0 0 16 16" aria-hidden="true">
      <path d={shapes[status]} />
    </svg>
  );
}
