import { useState } from 'preact/hooks';
import type { ManagedBoard, Tile } from '../../../../../contract/manage/boards.js';
import type { Range } from '../../../address/range.js';
import { useAddress } from '../../../address/use-address.js';
import { Confirm } from '../../../kit/form/confirm.js';
import { ConflictDialog } from '../../../kit/form/conflict.js';
import { SendError } from '../../../kit/form/form.js';
import { type Editor, useEditor } from '../../../kit/form/use-editor.js';
import { Icon } from '../../../kit/icons.js';
import { showNotice } from '../../../kit/notice.js';
import { Empty } from '../../../kit/states.js';
import { kitTexts } from '../../../kit/texts.js';
import { pagePath } from '../../../reads/api-path.js';
import type { Read } from '../../../reads/use-read.js';
import { usePage } from '../../../session.js';
import { Screen } from '../../../shell/screen.js';
import { useTexts } from '../../../texts.js';
import { type BoardValues, tilesMax } from '../known.js';
import { inReadingOrder } from '../place-tiles.js';
import { boardsTexts } from '../texts.js';
import { NamedVariables } from '../view/named-variables.js';
import { valuesOf, variablesOf } from '../view/variables.js';
import { BoardDialog } from './board-dialog.js';
import { EditGrid } from './edit-grid.js';
import { tellField } from './tell-changes.js';
import { TileDialog } from './tile-dialog.js';
import { tileValues } from './tile-values.js';
import { useTiles } from './use-tiles.js';

type EditProps = { board: ManagedBoard; read: Read<ManagedBoard>; range: Range };

/** Changes a board in place. What is not saved survives a reload. */
export function EditBoard({ board, read, range }: EditProps) {
  const { path, query, to, replace } = useAddress();
  const texts = useTexts(boardsTexts);
  const leave = (): void => replace({ edit: undefined });
  const editor = useBoardEditor({ board, read }, leave);
  const { name, variables, tiles } = editor.values;
  const edited = useTiles(tiles, editor.set('tiles'));
  const [open, setOpen] = useState<'settings' | 'cancel' | Tile | 'new'>();
  const close = () => setOpen(undefined);
  const fields = variablesOf(variables);
  const values = valuesOf(fields, query);
  return (
    <Screen
      title={name}
      crumbs={[{ title: texts.list, href: to(path) }]}
      hasRange
      actions={
        <EditActions
          {...{ editor, onOpen: setOpen }}
          onCancel={() => (editor.isChanged ? setOpen('cancel') : leave())}
        />
      }
    >
      {editor.error !== undefined && <SendError error={editor.error} />}
      <p class="board-hint note" id="board-keys">
        {texts.keys}
      </p>
      <NamedVariables variables={fields} values={values} />
      {tiles.length === 0 ? (
        <Empty title={texts.noTiles} level={2}>
          <p>{texts.firstTile}</p>
          <button
            ref={edited.addButton}
            type="button"
            class="button small main"
            onClick={() => setOpen('new')}
          >
            <Icon name="plus" />
            {texts.addTile}
          </button>
        </Empty>
      ) : (
        <EditGrid {...{ tiles, edited, values, range }} onEdit={setOpen} />
      )}
      {open === 'settings' && <BoardDialog board={board.slug} editor={editor} onClose={close} />}
      {open === 'cancel' && (
        <Confirm
          title={texts.discardTitle}
          action={texts.discard}
          isDanger
          onConfirm={() => {
            editor.discard();
            leave();
          }}
          onClose={close}
        >
          <p>{texts.discardWhy}</p>
        </Confirm>
      )}
      {open !== undefined && open !== 'settings' && open !== 'cancel' && (
        <TileDialog
          {...{ board: board.slug, variables }}
          tile={open === 'new' ? undefined : open}
          initial={tileValues(open === 'new' ? undefined : open, tiles)}
          onDone={(tile) => {
            edited.put(tile);
            close();
          }}
          onClose={close}
        />
      )}
      <ConflictDialog
        editor={editor}
        labels={texts.fields}
        textOf={(_, value) => tellField(value, editor.conflict?.base.tiles ?? [], texts)}
      />
    </Screen>
  );
}

function useBoardEditor({ board, read }: Omit<EditProps, 'range'>, onSaved: () => void): Editor<BoardValues> {
  const { slug } = usePage();
  const texts = useTexts(boardsTexts);
  return useEditor<ManagedBoard, BoardValues>({
    path: pagePath(slug, `/boards/${encodeURIComponent(board.slug)}`),
    ...{ method: 'PUT', read, saved: board, keptAs: `board ${board.slug}` },
    // In the order into which the editor sorts them: sorting is no change then.
    valuesOf: ({ name, description, range, variables, tiles }) => ({
      ...{ name, description, range, variables, tiles: inReadingOrder(tiles) },
    }),
    bodyOf: (_, values) => ({ ...values, tiles: inReadingOrder(values.tiles) }),
    onSaved({ name }) {
      showNotice(texts.saved({ name }));
      onSaved();
    },
  });
}

type ActionsProps = {
  editor: Editor<BoardValues>;
  onOpen(what: 'settings' | 'new'): void;
  onCancel(): void;
};

function EditActions({ editor, onOpen, onCancel }: ActionsProps) {
  const texts = useTexts(boardsTexts);
  const kit = useTexts(kitTexts);
  return (
    <>
      <button
        type="button"
        class="button small"
        disabled={editor.values.tiles.length >= tilesMax}
        onClick={() => onOpen('new')}
      >
        <Icon name="plus" />
        {texts.addTile}
      </button>
      <button type="button" class="button small" onClick={() => onOpen('settings')}>
        {texts.settings}
      </button>
      <button type="button" class="button small" onClick={onCancel}>
        {kit.cancel}
      </button>
      <button
        type="button"
        class="button small main"
        aria-disabled={editor.isSending || !editor.isChanged}
        onClick={() => editor.isChanged && editor.submit()}
      >
        {kit.save}
      </button>
    </>
  );
}
