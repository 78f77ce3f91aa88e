export { deletePostmortem, putPostmortem } from './change-postmortem.js';
export {
  findPostmortem,
  loadPostmortems,
  loadShownPostmortem,
  type Postmortem,
  type PostmortemRef,
  toManagedPostmortem,
} from './postmortem.js';
