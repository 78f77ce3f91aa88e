import { useMemo } from 'preact/hooks';
import type { AddedBoards, ListedBoard } from '../../../../contract/manage/boards.js';
import { useAddress } from '../../address/use-address.js';
import { type Format, useFormat } from '../../format.js';
import { SendError } from '../../kit/form/form.js';
import { Icon } from '../../kit/icons.js';
import { showNotice } from '../../kit/notice.js';
import { ResourceList } from '../../kit/resource-list.js';
import { type Column, timeColumn } from '../../kit/table/column.js';
import { pagePath } from '../../reads/api-path.js';
import { sendJson } from '../../reads/fetch-json.js';
import { useList } from '../../reads/use-list.js';
import { useSend } from '../../reads/use-send.js';
import { usePage } from '../../session.js';
import { PermittedButton } from '../../shell/permitted.js';
import { Screen } from '../../shell/screen.js';
import { useTexts } from '../../texts.js';
import { starterNames } from './known.js';
import { NewBoard } from './new-board.js';
import { type BoardsTexts, boardsTexts } from './texts.js';

/** Every board of the page. Without one it offers those that are ready to use. */
export function BoardList() {
  const { slug } = usePage();
  const texts = useTexts(boardsTexts);
  const format = useFormat();
  const { path, query, to, choose } = useAddress();
  const list = useList<ListedBoard>(pagePath(slug, '/boards'), { limit: 100, everyMs: 60_000 });
  const starters = useStarters(list.read.retry);
  const columns = useMemo(
    () => columnsOf(texts, format, (board) => to(path, { board, from: undefined, to: undefined })),
    [texts, format, path],
  );
  const known = list.read.data?.items.map((one) => one.slug) ?? [];
  const isMissing = list.read.data !== undefined && starterNames.some((name) => !known.includes(name));
  return (
    <Screen
      title={texts.list}
      actions={
        known.length > 0 && (
          <>
            {isMissing && <StarterButton {...starters} />}
            <NewButton />
          </>
        )
      }
    >
      <ResourceList
        {...{ list, columns, title: texts.list, note: texts.listWhy, error: starters.error }}
        isShort={known.length <= fewRows}
        addressKey="boards"
        keyOf={(one) => one.slug}
        sorting={{ key: 'name', isDescending: false }}
        empty={{
          title: texts.none,
          why: texts.noneWhy,
          action: (
            <div class="board-first">
              <StarterList />
              {starters.error !== undefined && <SendError error={starters.error} />}
              <div class="board-first-actions">
                <StarterButton {...starters} isMain />
                <NewButton isMain={false} />
              </div>
            </div>
          ),
        }}
      />
      {query['new'] !== undefined && <NewBoard onClose={() => choose({ new: undefined })} />}
    </Screen>
  );
}

/** As many are seen at one look, and need no filter. */
const fewRows = 12;

function columnsOf(
  texts: BoardsTexts,
  format: Format,
  hrefOf: (board: string) => string,
): Column<ListedBoard>[] {
  return [
    {
      ...{ key: 'name', title: texts.name, class: 'board-cell' },
      value: ({ name }) => name,
      text: ({ name, description }) => `${name} ${description}`,
      cell: ({ slug, name, description }) => (
        <>
          <a href={hrefOf(slug)} dir="auto">
            {name}
          </a>
          {description !== '' && (
            <span class="note" dir="auto">
              {description}
            </span>
          )}
        </>
      ),
    },
    {
      ...{ key: 'tiles', title: texts.tiles, isFigure: true, isMinor: true },
      value: ({ tileCount }) => tileCount,
    },
    timeColumn({
      ...{ key: 'changed', title: texts.changed },
      timeOf: ({ updatedAt }) => updatedAt,
      say: (at) => <span title={format.full(at)}>{format.ago(Date.now() - at)}</span>,
    }),
  ];
}

function useStarters(onAdded: () => void) {
  const { slug } = usePage();
  const texts = useTexts(boardsTexts);
  return useSend(async () => {
    const { added } = await sendJson<AddedBoards>('POST', pagePath(slug, '/boards/starters'), {});
    showNotice(texts.startersAdded({ count: added.length }));
    onAdded();
  });
}

type StarterProps = { run(): void; isSending: boolean; isMain?: boolean };

/** Adds the boards that are ready to use; those that are there stay as they are. */
function StarterButton({ run, isSending, isMain = false }: StarterProps) {
  const texts = useTexts(boardsTexts);
  return (
    <PermittedButton
      permission="page.write"
      class={isMain ? 'button small main' : 'button small'}
      isBusy={isSending}
      onClick={run}
    >
      {texts.addStarters}
    </PermittedButton>
  );
}

function StarterList() {
  const { starters } = useTexts(boardsTexts);
  return (
    <ul class="board-starters">
      {starterNames.map((name) => (
        <li key={name}>
          <strong>{starters[name].name}</strong>
          <span>{starters[name].shows}</span>
        </li>
      ))}
    </ul>
  );
}

function NewButton({ isMain = true }: { isMain?: boolean }) {
  const { choose } = useAddress();
  const texts = useTexts(boardsTexts);
  return (
    <PermittedButton
      permission="page.write"
      class={isMain ? 'button small main' : 'button small'}
      onClick={() => choose({ new: 'board' })}
    >
      <Icon name="plus" />
      {texts.add}
    </PermittedButton>
  );
}
