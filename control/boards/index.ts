export {
  type Board,
  boardJson,
  listBoards,
  listedBoardJson,
  loadBoard,
} from './board.js';
export { deleteBoard, putBoard } from './change-board.js';
export { fillFigure, valuesOf } from './fill-figure.js';
export { parseBoard } from './parse-board.js';
export {
  createShare,
  deleteShare,
  listShares,
  type OpenedBoard,
  openShare,
  shareJson,
} from './shares.js';
export { addStarters, starters } from './starters.js';
