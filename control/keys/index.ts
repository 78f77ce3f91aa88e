export {
  type CreatedKey,
  type CreateKeyInput,
  createKey,
  renameKey,
  revokeKey,
  revokePageKeys,
} from './change-key.js';
export { hasIngestKey, isKey, type Key, listKeys, listManagedKeys, loadKey, newKey } from './key.js';
export { type AnyGrant, createKeyCache, type KeyCache } from './key-cache.js';
export { type AdminGrant, capabilityColumn, type KeyGrant } from './key-grants.js';
export { countKeyRequest } from './key-usage.js';
