import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { useFormat } from '../../../format.js';
import { Icon } from '../../../kit/icons.js';
import { Menu } from '../../../kit/menu.js';
import { showNotice } from '../../../kit/notice.js';
import { useTexts } from '../../../texts.js';
import type { ListedMonitor } from '../columns.js';
import { useGroups } from '../use-groups.js';
import { BulkFailures } from './bulk-failures.js';
import { DeleteMany } from './delete-many.js';
import { changeTexts } from './texts.js';
import { type BulkAction, type BulkState, type Named, useBulk } from './use-bulk.js';

type BulkBarProps = {
  chosen: readonly ListedMonitor[];
  onClear(): void;
  /** Called after something has changed. */
  onChanged(): void;
};

/** The actions on the chosen monitors, their progress, and their failures. */
export function BulkBar({ chosen, onClear, onChanged }: BulkBarProps) {
  const texts = useTexts(changeTexts);
  const { count } = useFormat();
  const [isAsking, setAsking] = useState(false);
  const bulk = useBulk(({ action, made, failed }) => {
    onChanged();
    if (made.length === 0) return;
    const undo = action.verb === 'pause' ? () => bulk.run({ verb: 'resume' }, made) : undefined;
    showNotice(texts.done[action.verb]({ count: made.length, shown: count(made.length) }), undo);
    if (failed.length === 0) onClear();
  });
  const { state } = bulk;
  const run = (action: BulkAction, monitors: readonly Named[]): void => {
    if (state?.isRunning !== true && monitors.length > 0) bulk.run(action, monitors);
  };
  const standing = useStanding(state, chosen.length);
  return (
    <>
      <p class="visually-hidden" role="status">
        {standing}
      </p>
      {chosen.length > 0 && (
        <section class="bulk-bar" aria-label={texts.chosenRegion}>
          <strong>{standing}</strong>
          <BulkButtons
            chosen={chosen}
            isBusy={state?.isRunning === true}
            run={run}
            onDelete={() => setAsking(true)}
          />
          <button type="button" class="link-button" onClick={onClear}>
            {texts.clear}
          </button>
        </section>
      )}
      <BulkFailures state={state} onRetry={run} onClose={bulk.clear} />
      {isAsking && (
        <DeleteMany
          monitors={chosen}
          onConfirm={() => run({ verb: 'delete' }, chosen)}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  );
}

/** How many are chosen, or done, in a sentence. */
function useStanding(state: BulkState | undefined, chosen: number): string {
  const texts = useTexts(changeTexts);
  const { count } = useFormat();
  if (state?.isRunning === true) {
    return texts.doing({ done: count(state.made.length + state.failed.length), all: count(state.all) });
  }
  return chosen === 0 ? '' : texts.chosen({ count: chosen, shown: count(chosen) });
}

type ButtonsProps = {
  chosen: readonly ListedMonitor[];
  isBusy: boolean;
  run(action: BulkAction, monitors: readonly Named[]): void;
  onDelete(): void;
};

function BulkButtons({ chosen, isBusy, run, onDelete }: ButtonsProps) {
  const texts = useTexts(changeTexts);
  const watched = chosen.filter(({ paused }) => !paused);
  const paused = chosen.filter((one) => one.paused);
  return (
    <>
      {watched.length > 0 && (
        <BulkButton isBusy={isBusy} onClick={() => run({ verb: 'pause' }, watched)}>
          {texts.pause}
        </BulkButton>
      )}
      {paused.length > 0 && (
        <BulkButton isBusy={isBusy} onClick={() => run({ verb: 'resume' }, paused)}>
          {texts.resume}
        </BulkButton>
      )}
      <MoveMenu onMove={(group) => run({ verb: 'move', group }, chosen)} />
      <BulkButton isBusy={isBusy} onClick={onDelete}>
        {texts.delete} …
      </BulkButton>
    </>
  );
}

type ButtonProps = { isBusy: boolean; onClick(): void; children: ComponentChildren };

function BulkButton({ isBusy, onClick, children }: ButtonProps) {
  return (
    <button type="button" class="button small" aria-disabled={isBusy} onClick={() => !isBusy && onClick()}>
      {children}
    </button>
  );
}

/** The groups of the page; nothing on a page without any. */
function MoveMenu({ onMove }: { onMove(group: string | null): void }) {
  const texts = useTexts(changeTexts);
  const groups = useGroups();
  if (groups.length === 0) return null;
  const choices = [...groups, { slug: null, name: texts.noGroup }];
  return (
    <Menu
      label={texts.move}
      class="button small"
      button={
        <>
          {texts.move}
          <Icon name="chevron" />
        </>
      }
    >
      {(close) => (
        <ul class="menu-list">
          {choices.map(({ slug, name }) => (
            <li key={slug}>
              <button
                type="button"
                dir="auto"
                onClick={() => {
                  close();
                  onMove(slug);
                }}
              >
                {name}
              </button>
            </li>
          ))}
        </ul>
      )}
    </Menu>
  );
}
