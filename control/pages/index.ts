export { type CreatePageInput, createPage } from './create-page.js';
export { findLogo } from './find-logo.js';
export { findPage, loadPage, loadPageId } from './find-page.js';
export { listPages } from './list-pages.js';
export type { Page } from './page.js';
export { brandOf } from './page-looks.js';
export { publishResponseTimes } from './publish-response-times.js';
export { type SetPageInput, setPage } from './set-page.js';
