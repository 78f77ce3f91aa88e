import { useTexts } from '../../../texts.js';
import { boardsTexts } from '../texts.js';

/** Says that the time range has nothing for a tile. */
export function Nothing() {
  const texts = useTexts(boardsTexts);
  return <p class="board-tile-nothing">{texts.nothing}</p>;
}
