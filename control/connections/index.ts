export {
  type Connection,
  createConnection,
  deleteConnection,
  listConnections,
  listManagedConnections,
} from './connections.js';
