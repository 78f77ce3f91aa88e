export { awaitCopies } from './copy-lock.js';
export { startCopyLoop } from './copy-loop.js';
export { copyRows } from './copy-rows.js';
export { noteRows } from './note-rows.js';
export { type CopyDeps, compareStores } from './take-version.js';
export { loadWaitingCopies, type WaitingCopies } from './waiting-copies.js';
