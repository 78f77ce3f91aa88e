export {
  type CheckFigureExport,
  deleteFigureExport,
  noFigureExport,
  recordExportTest,
  setFigureExport,
} from './change-figure-export.js';
export { exportHours } from './export-hours.js';
export type { OldestWaiting } from './export-page.js';
export {
  type FigureExport,
  findFigureExport,
  listLateExports,
  type OpenedExport,
  openFigureExport,
  sealedElsewhere,
} from './figure-export.js';
export { BucketError, putObject } from './put-object.js';
export type { ExportPiece } from './put-piece.js';
