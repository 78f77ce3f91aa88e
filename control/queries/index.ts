export {
  createQuery,
  deleteQuery,
  findQuery,
  listQueries,
  type Query,
  type QueryFields,
  type QueryReader,
  replaceQuery,
} from './query.js';
