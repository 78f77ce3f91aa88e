export { type Connection, createConnection, deleteConnection, listConnections } from './connections.js';
