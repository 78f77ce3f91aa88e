export { changePage, type PageChanges, publishResponseTimes } from './change-page.js';
export { type CreatePageInput, createPage } from './create-page.js';
export { findLogo } from './logo.js';
export {
  brandOf,
  findPage,
  findPages,
  listPagePlaces,
  listPages,
  loadPage,
  loadPageId,
  type Page,
} from './page.js';
