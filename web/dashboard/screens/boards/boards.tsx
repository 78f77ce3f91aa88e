import { useAddress } from '../../address/use-address.js';
import { BoardList } from './board-list.js';
import { OneBoard } from './one-board.js';

/** All boards of the page, or the one that the address names. */
export default function Boards() {
  const { board } = useAddress().query;
  return board === undefined ? <BoardList /> : <OneBoard key={board} boardSlug={board} />;
}
