export {
  type CreatedKey,
  createKey,
  isKey,
  type Key,
  listKeys,
  newKey,
  renameKey,
  revokeKey,
} from './key.js';
export { createKeyCache, type KeyCache } from './key-cache.js';
export { capabilityColumn, type KeyGrant } from './key-grants.js';
export { countKeyRequest } from './key-requests.js';
