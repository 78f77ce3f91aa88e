import { useEffect } from 'preact/hooks';
import { LocationProvider } from 'preact-iso';
import type { SharedBoard } from '../../../../../contract/public/shared-boards.js';
import { sharedBoardPages } from '../../../../account/manage-paths.js';
import type { Range } from '../../../address/range.js';
import { useAddress } from '../../../address/use-address.js';
import { Notices } from '../../../kit/notice.js';
import { Empty, ErrorNotice, Skeleton, Stale } from '../../../kit/states.js';
import { type Read, useRead } from '../../../reads/use-read.js';
import { RangePicker } from '../../../shell/range-picker.js';
import { shellTexts } from '../../../shell/texts.js';
import { type Language, LanguageContext, useTexts } from '../../../texts.js';
import { inReadingOrder } from '../place-tiles.js';
import { boardsTexts } from '../texts.js';
import { rangeOfBoard } from '../view/board-range.js';
import { TileView } from '../view/tile.js';
import { sharedBoardAddress, sharedTileRead } from '../view/tile-reads.js';
import { Variables, valuesOf } from '../view/variables.js';

type SharedProps = { token: string; language: Language };

/** Shows a board to anyone who has its link, without a menu or a session. */
export default function SharedBoardPage({ token, language }: SharedProps) {
  return (
    <LocationProvider scope={sharedBoardPages}>
      <LanguageContext.Provider value={language}>
        <main class="shared-board">
          <Shared path={sharedBoardAddress(token)} />
        </main>
        <Notices undoTitle={shellTexts[language].undo} />
      </LanguageContext.Provider>
    </LocationProvider>
  );
}

/** A change of the board shows on a screen on the wall soon. */
const pollMs = 60_000;

function Shared({ path }: { path: string }) {
  const read = useRead<SharedBoard>(path, { everyMs: pollMs });
  const { data: board, error } = read;
  useEffect(() => {
    if (board !== undefined) document.title = `${board.name} · Heartline`;
  }, [board?.name]);
  if (error?.status === 404) return <Gone />;
  if (board === undefined) {
    return error === undefined ? <Skeleton lines={6} /> : <ErrorNotice error={error} retry={read.retry} />;
  }
  return <Board {...{ board, path, read }} />;
}

function Gone() {
  const texts = useTexts(boardsTexts);
  return (
    <Empty title={texts.gone} level={1}>
      <p>{texts.goneWhy}</p>
    </Empty>
  );
}

type BoardProps = { board: SharedBoard; path: string; read: Read<SharedBoard> };

function Board({ board, path, read }: BoardProps) {
  const { query } = useAddress();
  const { name, description, variables, tiles } = board;
  const range = useSharedRange(board);
  const values = valuesOf(variables, query);
  return (
    <>
      <header class="screen-head">
        <div class="screen-title">
          <h1 dir="auto">{name}</h1>
          {description !== '' && (
            <p class="board-description" dir="auto">
              {description}
            </p>
          )}
        </div>
        <div class="screen-actions">
          <RangePicker />
        </div>
      </header>
      <div class="screen-body">
        {read.error !== undefined && <Stale read={read} error={read.error} />}
        <Variables variables={variables} values={values} />
        <div class="board-grid">
          {inReadingOrder(tiles).map((tile) => (
            <TileView key={tile.id} {...{ tile, range }} source={sharedTileRead(path, tile, values, range)} />
          ))}
        </div>
      </div>
    </>
  );
}

/** The range of the address, which gets that of the board where it has none. */
function useSharedRange({ range: boardRange }: SharedBoard): Range {
  const { query, range, replace } = useAddress();
  const isGiven = query['from'] !== undefined;
  const usual = rangeOfBoard(boardRange);
  useEffect(() => {
    if (!isGiven) replace(usual);
  }, [isGiven]);
  return isGiven ? range : usual;
}
