export { deletePostmortem, putPostmortem } from './change-postmortem.js';
export { toManagedPostmortem } from './managed-postmortem.js';
export {
  findPostmortem,
  loadPostmortems,
  loadShownPostmortem,
  type Postmortem,
  type PostmortemRef,
} from './postmortem.js';
