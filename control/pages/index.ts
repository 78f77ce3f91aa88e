export { changePage, type PageChanges, publishResponseTimes, withLooks } from './change-page.js';
export { checkHostname } from './check-hostname.js';
export { type CreatePageInput, createPage } from './create-page.js';
export { deletePage, listDeletedPages, listPagesToRemove, markPageRemoved } from './delete-page.js';
export { findLogo, parseLogo } from './logo.js';
export {
  brandOf,
  findPage,
  findPageId,
  findPages,
  hasPublicMetrics,
  listManagedPages,
  listPagePlaces,
  listPages,
  loadPage,
  loadPageById,
  loadPageId,
  type Page,
} from './page.js';
export { type GivenFigure, parseFigures } from './parse-figures.js';
export { parseHostname } from './parse-page.js';
export { loadReaderPassword } from './reader-password.js';
