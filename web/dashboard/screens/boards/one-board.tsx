import { useEffect } from 'preact/hooks';
import type { ManagedBoard } from '../../../../contract/manage/boards.js';
import type { Range } from '../../address/range.js';
import { useAddress } from '../../address/use-address.js';
import { Icon } from '../../kit/icons.js';
import { Empty, ErrorNotice, Skeleton, Stale } from '../../kit/states.js';
import { pagePath } from '../../reads/api-path.js';
import { type Read, useRead } from '../../reads/use-read.js';
import { usePage } from '../../session.js';
import { PermittedButton } from '../../shell/permitted.js';
import { Screen } from '../../shell/screen.js';
import { useTexts } from '../../texts.js';
import { BoardActions } from './board-actions.js';
import { EditBoard } from './edit/edit-board.js';
import type { Values } from './known.js';
import { inReadingOrder } from './place-tiles.js';
import { sourceOf } from './source-of.js';
import { boardsTexts } from './texts.js';
import { TileMenu } from './tile-menu.js';
import { rangeOfBoard } from './view/board-range.js';
import { NamedVariables } from './view/named-variables.js';
import { placeStyle, TileView } from './view/tile.js';
import { valuesOf, variablesOf } from './view/variables.js';

const pollMs = 60_000;

/** A board with its tiles, over the time range and with the values of the address. */
export function OneBoard({ boardSlug }: { boardSlug: string }) {
  const { slug, may } = usePage();
  const { path, query, to } = useAddress();
  const texts = useTexts(boardsTexts);
  const read = useRead<ManagedBoard>(pagePath(slug, `/boards/${encodeURIComponent(boardSlug)}`), {
    everyMs: pollMs,
  });
  const board = read.data;
  const isGone = read.error?.status === 404;
  const range = useBoardRange(board);
  if (board !== undefined && query['edit'] !== undefined && may('page.write')) {
    return <EditBoard {...{ board, read, range }} />;
  }
  return (
    <Screen
      title={board?.name ?? boardSlug}
      crumbs={[{ title: texts.list, href: to(path) }]}
      hasRange
      actions={board !== undefined && !isGone && <BoardActions board={board} />}
    >
      <BoardBody {...{ read, isGone, range }} />
    </Screen>
  );
}

/** The range of the address; that of the board goes there where it has none, so that a link shows the same. */
function useBoardRange(board: ManagedBoard | undefined): Range {
  const { query, range, replace } = useAddress();
  const isGiven = query['from'] !== undefined;
  const usual = board === undefined || isGiven ? undefined : rangeOfBoard(board.range);
  useEffect(() => {
    if (usual !== undefined) replace(usual);
  }, [usual?.from]);
  return usual ?? range;
}

type BodyProps = { read: Read<ManagedBoard>; isGone: boolean; range: Range };

function BoardBody({ read, isGone, range }: BodyProps) {
  const { query } = useAddress();
  const { data: board, error } = read;
  if (board === undefined || isGone) {
    return error === undefined ? <BoardSkeleton /> : <ErrorNotice error={error} retry={read.retry} />;
  }
  const variables = variablesOf(board.variables);
  const values = valuesOf(variables, query);
  return (
    <>
      {error !== undefined && <Stale read={read} error={error} />}
      {board.description !== '' && (
        <p class="board-description" dir="auto">
          {board.description}
        </p>
      )}
      <NamedVariables variables={variables} values={values} />
      {board.tiles.length === 0 ? <NoTiles /> : <Tiles {...{ board, values, range }} />}
    </>
  );
}

type BoardProps = { board: ManagedBoard; values: Values };

function Tiles({ board, values, range }: BoardProps & { range: Range }) {
  const { slug } = usePage();
  return (
    <div class="board-grid">
      {inReadingOrder(board.tiles).map((tile) => (
        <TileView
          key={tile.id}
          {...{ tile, range }}
          source={sourceOf(slug, tile, values, range)}
          actions={<TileMenu tile={tile} />}
        />
      ))}
    </div>
  );
}

function NoTiles() {
  const texts = useTexts(boardsTexts);
  const { choose } = useAddress();
  return (
    <Empty title={texts.noTiles} level={2}>
      <p>{texts.noTilesWhy}</p>
      <PermittedButton permission="page.write" class="button small" onClick={() => choose({ edit: '1' })}>
        <Icon name="edit" />
        {texts.edit}
      </PermittedButton>
    </Empty>
  );
}

function BoardSkeleton() {
  return (
    <div class="board-grid" aria-busy="true">
      {[0, 3, 6, 9].map((x) => (
        <SkeletonTile key={x} x={x} y={0} width={3} height={2} />
      ))}
      <SkeletonTile x={0} y={2} width={6} height={4} />
      <SkeletonTile x={6} y={2} width={6} height={4} />
    </div>
  );
}

function SkeletonTile(place: { x: number; y: number; width: number; height: number }) {
  return (
    <div class="panel board-tile" style={placeStyle(place)}>
      <div class="board-tile-body">
        <Skeleton lines={place.height} />
      </div>
    </div>
  );
}
